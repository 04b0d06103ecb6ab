import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { test } from 'node:test'
import { assertAccessible, browserObstacle, freePort, screenshot } from '@hearth/testing'
import { openSitesPlace, startSayingServer, type SitesPlace } from './sites-place.ts'

const skip = browserObstacle()

const panelOf = ({ page }: SitesPlace) => page.getByRole('region', { name: 'Preview' })
const badgeOf = ({ page }: SitesPlace, text: string) => page.locator('.site-state').getByText(text, { exact: true })

test('an upstream that does not listen is reported before saving and by the badge', { skip }, async () => {
  await using place = await openSitesPlace()
  await using open = await startSayingServer('here')
  const port = await freePort()
  await addSite(place, `http://127.0.0.1:${port}`)
  await badgeOf(place, 'Failing').first().waitFor()
  await seeInList(place, port)
  await changeTo(place, open.url)
  await badgeOf(place, 'Served').first().waitFor()
  await addSecond(place, port)
  await badgeOf(place, 'Degraded').first().waitFor()
  await using _late = createServer((_, answer) => answer.end()).listen(port, '127.0.0.1')
  await once(_late, 'listening')
  await place.goTo('/sites')
  // The server checks again when its last check is fifteen seconds old, and the page asks every half minute.
  await badgeOf(place, 'Served').first().waitFor({ timeout: 90_000 })
})

async function addSite(place: SitesPlace, upstream: string): Promise<void> {
  const { page } = place
  await place.goTo('/sites/new')
  await page.getByLabel('Name').fill('Photos')
  const domains = page.getByRole('combobox', { name: 'Domains' })
  await domains.fill('photos.test')
  await domains.press('Enter')
  await page.getByLabel('Upstream').fill(upstream)
  await page.getByRole('button', { name: 'TLS and HTTPS' }).click()
  await page.getByLabel('Certificate', { exact: true }).selectOption('off')
  const panel = panelOf(place)
  await panel.getByText('Valid, but 1 upstream is down').waitFor()
  await panel.getByText(`${upstream}: Nothing listens there.`).waitFor()
  await page.getByText('1 upstream is down. Caddy serves it as soon as it is added.').waitFor()
  await assertAccessible(page)
  await screenshot(page, 'sites-upstream-down')
  await page.getByRole('button', { name: 'Add site', exact: true }).click()
  await page.getByRole('heading', { name: 'Photos', level: 1 }).waitFor()
}

async function seeInList(place: SitesPlace, port: number): Promise<void> {
  const { page } = place
  await place.goTo('/sites')
  const row = page.getByRole('row', { name: /Photos/ })
  await row.getByText('Failing', { exact: true }).waitFor()
  await row.getByText(`127.0.0.1:${port}: nothing listens there`).waitFor()
  await assertAccessible(page)
  await screenshot(page, 'sites-failing')
  await row.getByRole('link', { name: 'Photos', exact: true }).click()
}

async function changeTo(place: SitesPlace, upstream: string): Promise<void> {
  const { page } = place
  await page.getByLabel('Upstream').fill(upstream)
  await panelOf(place).getByText('Valid', { exact: true }).waitFor()
  assert.equal(await panelOf(place).getByText('Nothing listens there').count(), 0)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
}

async function addSecond(place: SitesPlace, port: number): Promise<void> {
  const { page } = place
  await page.getByRole('button', { name: 'Add another upstream' }).click()
  await page.getByRole('textbox', { name: 'Upstream 2' }).fill(`http://127.0.0.1:${port}`)
  await panelOf(place).getByText('Valid, but 1 upstream is down').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).last().waitFor()
}
