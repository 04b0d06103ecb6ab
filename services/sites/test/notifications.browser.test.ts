import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertUsableOn,
  browserObstacle,
  eventually,
  everyScreen,
  settled,
  startWebhookReceiver,
} from '@hearth/testing'
import type { Page } from 'playwright-core'
import { openSitesPlace, type SitesPlace } from './sites-place.ts'

const skip = browserObstacle()

/** Looks at the page as it stands on every screen, and keeps pictures of it. */
async function look(page: Page, name: string): Promise<void> {
  await assertUsableOn(page, everyScreen, { picture: `sites-notifications-${name}` })
}

const rowOf = ({ page }: SitesPlace, name: string) => page.getByRole('row', { name: new RegExp(name) })

test('an administrator adds a destination, tests it, changes it, and handles what failed', { skip }, async () => {
  await using receiver = await startWebhookReceiver()
  await using place = await openSitesPlace({ OUTBOUND_ALLOW: '127.0.0.1' })
  const { page, sites } = place
  await place.goTo('/settings')
  await page.getByRole('link', { name: 'Notifications' }).click()
  await page.getByText('No destinations yet').waitFor()
  await look(page, 'empty')
  await add(place, receiver.url)
  await testIt(place, receiver)
  await change(place)
  receiver.answer = (_, response) => response.writeHead(410).end()
  sites.service.app.notifications.reports.notify({ class: 'caddy.drift', title: 'Configuration changed', text: '' })
  await eventually(receiver.titles, (titles) => titles.includes('Configuration changed'))
  await place.goTo('/settings/notifications')
  const failed = page.getByRole('table', { name: 'Failed messages' })
  await failed.getByText(/answered 410$/).waitFor()
  await failed.getByText('after 1 attempt').waitFor()
  await look(page, 'failures')
  receiver.answer = (_, response) => void response.end()
  await page.getByRole('button', { name: 'Send again: Configuration changed' }).click()
  await page.getByRole('heading', { name: 'Failed messages' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete Home server' }).click()
  await page.getByRole('button', { name: 'Delete destination' }).click()
  await page.getByText('No destinations yet').waitFor()
})

async function add({ page }: SitesPlace, url: string): Promise<void> {
  await page.getByRole('button', { name: 'Add destination' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add destination' })
  await dialog.getByLabel('Name', { exact: true }).waitFor()
  for (const kind of ['ntfy', 'Gotify', 'E-mail', 'Webhook']) {
    await dialog.getByText(kind, { exact: true }).click()
    await look(page, `add-${kind.toLowerCase()}`)
  }
  assert.match(await dialog.getByLabel('Signing secret').inputValue(), /^whsec_.{44}$/)
  await dialog.getByRole('button', { name: 'Add destination' }).click()
  await dialog.getByText('Required').first().waitFor()
  await dialog.getByLabel('Name', { exact: true }).fill('Home server')
  await dialog.getByLabel('Address').fill('ftp://example.org')
  await dialog.getByRole('button', { name: 'Add destination' }).click()
  await dialog.getByText('Must start with https:// or http://').waitFor()
  await dialog.getByLabel('Address').fill(url)
  await dialog.getByRole('button', { name: 'Add destination' }).click()
  await dialog.waitFor({ state: 'detached' })
}

async function testIt(place: SitesPlace, receiver: Awaited<ReturnType<typeof startWebhookReceiver>>): Promise<void> {
  const { page } = place
  const row = rowOf(place, 'Home server')
  await row.getByText('Nothing sent yet').waitFor()
  await page.getByRole('button', { name: 'Send a test to Home server' }).click()
  await page.getByText(/^Test delivered: .* answered 200$/).waitFor()
  await row.getByText('Delivered', { exact: true }).waitFor()
  assert.deepEqual(receiver.titles(), ['Test from Hearth Sites'])
  receiver.answer = (_, response) => response.writeHead(403).end()
  await page.getByRole('button', { name: 'Send a test to Home server' }).click()
  await row.getByText('Failed', { exact: true }).waitFor()
  await row.getByText(/answered 403$/).waitFor()
}

async function change(place: SitesPlace): Promise<void> {
  const { page } = place
  await page.getByRole('button', { name: 'Edit Home server' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Home server' })
  await dialog.getByLabel('Only some').click()
  await dialog.getByLabel('Configuration changed outside Hearth').click()
  await dialog.getByLabel('Backup failed').click()
  await dialog.getByLabel('Send', { exact: true }).selectOption('day')
  await dialog.getByLabel('Quiet hours').click()
  await dialog.getByLabel('From', { exact: true }).fill('23:00')
  await dialog.getByLabel('Time zone').fill('Moon/Sea')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Must be a time zone such as Europe/Berlin').waitFor()
  await dialog.getByLabel('Time zone').fill('Europe/Berlin')
  await look(page, 'edit')
  await dialog.getByLabel('Send', { exact: true }).selectOption('message')
  await dialog.getByLabel('Quiet hours').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await rowOf(place, 'Home server').getByText('Configuration changed outside Hearth, Backup failed').waitFor()
  await settled(page)
}
