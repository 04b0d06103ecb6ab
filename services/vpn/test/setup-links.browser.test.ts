import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import {
  assertUsable,
  assertUsableOn,
  browserObstacle,
  eventually,
  everyScreen,
  runCommand,
  settled,
  startBrowser,
} from '@hearth/testing'
import jsqr from 'jsqr'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { openFurnished } from './browser-fixture.ts'

/** The package is CommonJS: its types name a default that Node hands over as the whole module. */
const readQrCode = jsqr as unknown as typeof jsqr.default

const scan = async (page: Page): Promise<string | undefined> => {
  const code = page.getByRole('img', { name: /QR code/ })
  const picture = PNG.sync.read(await code.screenshot())
  return readQrCode(new Uint8ClampedArray(picture.data), picture.width, picture.height)?.data
}

test(
  'an administrator makes a set-up link, and the person with the phone gets file, QR code and steps, once',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { fixture, page } = opened
    await page.getByRole('link', { name: 'Phone' }).click()
    const drawer = page.getByRole('dialog', { name: 'Phone' })
    await drawer.getByRole('button', { name: 'Make a link' }).click()
    const making = page.getByRole('dialog', { name: 'Set-up link for Phone' })
    await making.getByLabel('Works for').selectOption('One hour')
    await making.getByRole('button', { name: 'Make link' }).click()
    const url = ((await page.getByLabel('Set-up link', { exact: true }).textContent()) ?? '').trim()
    assert.match(url, new RegExp(`^${fixture.service.url}/setup#[\\w-]{43}$`))
    await assertUsable(page)
    await page.getByRole('button', { name: 'I have it' }).click()
    await drawer.getByText('Not used yet').waitFor()
    await assertUsable(page)

    await using other = await startBrowser({ acceptDownloads: true })
    const phone = other.page
    await phone.goto(url)
    await settled(phone)
    await assertUsableOn(phone, everyScreen)
    assert.match(await phone.title(), /^Set up a device · Hearth VPN$/)
    await phone.getByRole('button', { name: 'Show configuration' }).click()
    await phone.getByRole('heading', { name: 'Phone', level: 1 }).waitFor()
    await phone.getByText('This link works once and is used up now').waitFor()
    assert.equal(phone.url(), `${fixture.service.url}/setup`, 'the secret is out of the address')
    await assertUsableOn(phone, everyScreen)
    const [download] = await Promise.all([
      phone.waitForEvent('download'),
      phone.getByRole('button', { name: 'Save configuration file' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'Phone.conf')
    const file = await readFile(await download.path(), 'utf8')
    const words = ['vpn', 'token', 'create', '--user', 'admin', '--name', 'x', '--permissions', 'full']
    const authorization = `Bearer ${(await runCommand(words, fixture.environment)).stdout.trim()}`
    const id = new URL(page.url()).pathname.split('/').at(-1)
    const reply = await fetch(`${fixture.service.url}/api/peers/${id}/config`, { headers: { authorization } })
    assert.equal(file, await reply.text())
    assert.equal(
      await eventually(
        () => scan(phone),
        (text) => text !== undefined,
        { what: 'a readable code' },
      ),
      file,
    )
    await phone.getByLabel('Steps for').selectOption('iPhone or iPad')
    await phone.getByText('Create from file or archive').waitFor()

    await drawer.getByText('Used', { exact: true }).waitFor()
    await drawer.getByText(/used .* from 127\.0\.0\.1/).waitFor()

    await phone.goto('about:blank')
    await phone.goto(url)
    await phone.getByRole('button', { name: 'Show configuration' }).click()
    await phone.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
    await assertUsable(phone)
    await phone.goto(`${fixture.service.url}/setup`)
    await phone.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
  },
)

test('a link that is revoked on the page stops working', { skip: browserObstacle() }, async () => {
  await using opened = await openFurnished('/peers')
  const { page } = opened
  await page.getByRole('link', { name: 'Laptop' }).click()
  const drawer = page.getByRole('dialog', { name: 'Laptop' })
  await drawer.getByRole('button', { name: 'Make a link' }).click()
  await page
    .getByRole('dialog', { name: /^Set-up link for/ })
    .getByRole('button', { name: 'Make link' })
    .click()
  const url = ((await page.getByLabel('Set-up link', { exact: true }).textContent()) ?? '').trim()
  await page.getByRole('button', { name: 'I have it' }).click()
  await drawer.getByRole('button', { name: 'Revoke' }).click()
  await drawer.getByText('Revoked', { exact: true }).waitFor()
  // Somebody who is signed in opens the same page as everybody else.
  await page.goto(url)
  await page.getByRole('button', { name: 'Show configuration' }).click()
  await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
})
