import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { assertAccessible, assertTransferBelow, browserObstacle, measureTransfer } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { askHost } from './served.ts'
import { openSitesPlace, type SitesPlace } from './sites-place.ts'
import { createTestAuthority } from './test-authority.ts'

const skip = browserObstacle()

const hello = {
  site_name: 'Hello',
  domains: ['hello.test'],
  kind: 'respond',
  tls: { mode: 'internal' },
  force_https: false,
  respond: { body: 'Hello there' },
}

test('traffic is counted, charted and shown live; certificates are graded and uploaded', { skip }, async () => {
  await using place = await openSitesPlace()
  const { status, body } = await place.admin.json('POST', '/api/sites', { json: hello })
  assert.equal(status, 201, JSON.stringify(body))
  await watchRequests(place)
  await checkTraffic(place)
  await gradeHost(place)
  await bringCertificate(place)
  await takeAuthority(place)
})

const ask = async ({ sites }: SitesPlace, path: string) => {
  const [, port] = sites.caddyPorts
  assert.equal((await askHost(port, 'hello.test', { path, isSecure: true })).status, 200)
}

async function watchRequests(place: SitesPlace): Promise<void> {
  const { page } = place
  await place.goTo('/sites/1?tab=traffic')
  await page.getByRole('button', { name: 'Watch' }).click()
  await page.getByText('Watching', { exact: true }).waitFor()
  await ask(place, '/<b>first</b>')
  await ask(place, '/second')
  const rows = page.getByRole('region', { name: 'Requests', exact: true })
  await rows.getByText('/<b>first</b>').waitFor()
  await rows.getByText('/second').waitFor()
  await page.getByLabel('Filter requests').fill('second 2xx')
  assert.equal(await rows.getByRole('row').count(), 2, 'the head and one request')
  await assertAccessible(page)
}

async function checkTraffic(place: SitesPlace): Promise<void> {
  const { page } = place
  await place.goTo('/')
  const busiest = page.getByRole('region', { name: 'Busiest sites' })
  await busiest.getByRole('link', { name: 'Hello' }).waitFor({ timeout: 30_000 })
  await page
    .getByRole('region', { name: 'Traffic' })
    .getByText(/^\d+ requests, /)
    .waitFor()
  // The first page stays small when there is something to show.
  for (const size of [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size)
    const load = async () => {
      await place.goTo('/')
      await page.locator('.chart-strip').last().waitFor()
      await busiest.getByRole('link', { name: 'Hello' }).waitFor()
    }
    assertTransferBelow(await measureTransfer(page, load), 250_000)
    assert.equal(await page.locator('canvas').count(), 0)
    await assertAccessible(page)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await busiest.getByRole('link', { name: 'Hello' }).click()
  await page.getByRole('list', { name: 'Most requested paths' }).getByText('/second').waitFor()
  const traffic = page.getByRole('region', { name: 'Traffic' })
  await traffic.getByText('As a table').last().click()
  await traffic.locator('canvas').nth(1).waitFor()
  const figures = traffic.getByRole('table', { name: 'How long requests take' })
  await figures
    .getByRole('cell', { name: /^[<\d.]+ m?s$/ })
    .first()
    .waitFor()
  await figures.getByRole('cell', { name: '–', exact: true }).first().waitFor()
}

async function gradeHost({ page, goTo }: SitesPlace): Promise<void> {
  await goTo('/certificates')
  await page.getByRole('button', { name: 'hello.test' }).click()
  const drawer = page.getByRole('dialog', { name: 'hello.test' })
  await drawer.getByText('The host was not graded yet.').waitFor()
  await drawer.getByRole('button', { name: 'Grade now' }).click()
  await drawer.getByText('What was found').waitFor({ timeout: 30_000 })
  await drawer.getByText(/The certificate is not trusted; without that the grade would be/).waitFor()
  await drawer.getByText(/^hello.test: T now/).waitFor()
  await assertAccessible(page)
  await drawer.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('cell', { name: 'T', exact: true }).waitFor()
}

async function bringCertificate({ page, goTo }: SitesPlace): Promise<void> {
  const { chain, key } = createTestAuthority().issue({ names: ['hello.test'] })
  await page.getByRole('button', { name: 'Upload' }).click()
  const dialog = page.getByRole('dialog', { name: 'Upload a certificate' })
  await dialog.getByLabel('Name').fill('Mine')
  await dialog.getByLabel('Certificate', { exact: true }).fill('nothing like it')
  await dialog.getByLabel('Key').fill(key)
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await dialog.locator('[aria-invalid=true]').first().waitFor()
  await dialog.getByLabel('Certificate', { exact: true }).fill(chain)
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: 'nobody', exact: true }).waitFor()

  await goTo('/sites/1')
  await page.getByRole('button', { name: 'TLS and HTTPS' }).click()
  await page.getByLabel('Certificate', { exact: true }).selectOption('custom')
  await page.getByLabel('Own certificate').selectOption({ label: 'Mine (hello.test)' })
  await page.getByText(/^Valid/).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await goTo('/certificates')
  await page.getByRole('cell', { name: '1 site', exact: true }).waitFor()
  await removeRefused(page)
}

async function removeRefused(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Remove Mine' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove Mine?' })
  await dialog.getByText(/1 site would be without it/).waitFor()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('That did not work').waitFor()
  await dialog.getByRole('button', { name: 'Keep' }).click()
}

async function takeAuthority({ page }: SitesPlace): Promise<void> {
  const coming = page.waitForEvent('download')
  await page.getByRole('region', { name: 'Internal authority' }).getByRole('button', { name: 'Download' }).click()
  const download = await coming
  assert.match(download.suggestedFilename(), /^caddy-.*\.pem$/)
  assert.match(await readFile(await download.path(), 'utf8'), /^-----BEGIN CERTIFICATE-----/)
}
