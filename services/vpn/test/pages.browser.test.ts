import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertAccessible,
  assertPagesUsable,
  browserObstacle,
  eventually,
  replacePassword,
  runCommand,
  signIn,
  startBrowser,
  submitSignIn,
  wideAndPhone,
} from '@hearth/testing'
import jsqr from 'jsqr'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { furnish, openFurnished, password, startFixture } from './browser-fixture.ts'

/** The package is CommonJS: its types name a default that Node hands over as the whole module. */
const readQrCode = jsqr as unknown as typeof jsqr.default

/** Reads the QR code from a screenshot, as a phone's camera would. */
async function scanScreen(page: Page): Promise<string | undefined> {
  const picture = PNG.sync.read(await page.screenshot())
  return readQrCode(new Uint8ClampedArray(picture.data), picture.width, picture.height)?.data
}

test('a change shows at once to somebody who prefers less motion', { skip: browserObstacle() }, async () => {
  await using fixture = await startFixture()
  await using browser = await startBrowser({ reducedMotion: 'reduce' })
  const { page } = browser
  await page.goto(fixture.service.url)
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  const [before, after] = (await page.evaluate(`(() => {
    const button = document.querySelector('button[type=submit]')
    const before = getComputedStyle(button).backgroundColor
    button.disabled = true
    return [before, getComputedStyle(button).backgroundColor]
  })()`)) as [string, string]
  assert.notEqual(after, before)
})

test('a user’s journey from the first sign-in to a revoked token', { skip: browserObstacle() }, async () => {
  await using fixture = await startFixture()
  await using browser = await startBrowser({ acceptDownloads: true })
  const { page } = browser
  const { url } = fixture.service

  await page.goto(url)
  await submitSignIn(page, 'admin', 'not-the-password')
  await page.getByRole('alert').waitFor()
  await submitSignIn(page, 'admin', fixture.firstPassword)
  await replacePassword(page, fixture.firstPassword, password)

  await page.getByRole('link', { name: 'Interfaces', exact: true }).click()
  await page.getByRole('button', { name: 'Create interface' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('IPv4 network').waitFor()
  await dialog.getByLabel('IPv4 network').fill('10.8.0.0/24')
  await dialog.getByRole('button', { name: 'Create interface' }).click()
  await dialog.getByText('must be an address of a host').waitFor()
  await dialog.getByLabel('IPv4 network').fill('10.8.0.1/24')
  await dialog.getByRole('button', { name: 'Create interface' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Running').first().waitFor()

  await page.getByRole('link', { name: 'Peers', exact: true }).click()
  await page.getByRole('button', { name: 'Add peer' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('<b>Ada</b> & phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Add peer' }).click()
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  const scanned = await eventually(
    () => scanScreen(page),
    (text) => text !== undefined,
    { what: 'a readable QR code' },
  )

  const token = await createToken(page, url)
  const api = (path: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const list = (await (await api('/api/peers')).json()) as { data: { peers: { id: string; name: string }[] } }
  assert.deepEqual(
    list.data.peers.map((peer) => peer.name),
    ['<b>Ada</b> & phone'],
  )
  const config = await (await api(`/api/peers/${list.data.peers[0]?.id}/config`)).text()
  assert.equal(scanned, config)
  assert.match(config, /^Endpoint = vpn\.example\.org:51820$/m)

  await page.getByRole('button', { name: 'Revoke from the browser' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText('No API tokens').waitFor()
  assert.equal((await api('/api/peers')).status, 401)

  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  await page.goto(`${url}/peers`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
})

async function createToken(page: Page, url: string): Promise<string> {
  await page.goto(`${url}/profile`)
  await page.getByRole('button', { name: 'Create token' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('from the browser')
  await page.getByRole('dialog').getByLabel('Permissions').selectOption('full')
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  const value = (await page.getByLabel('Token value').textContent()) ?? ''
  await page.getByRole('button', { name: 'I have it' }).click()
  await page.getByText('from the browser', { exact: true }).waitFor()
  return value.trim()
}

const paths = [
  '/',
  '/interfaces',
  '/peers',
  '/access',
  '/users',
  '/profile',
  '/security-log',
  '/settings',
  '/settings/notifications',
  '/nowhere',
]

test(
  'every page is accessible and fits the screen, on desktop and phone, dark and light',
  { skip: browserObstacle() },
  async () => {
    await using fixture = await startFixture()
    await using browser = await startBrowser({ viewport: { width: 1440, height: 900 } })
    const { page } = browser
    await page.goto(fixture.service.url)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await assertAccessible(page)
    await furnish(fixture, page)
    const urls = paths.map((path) => `${fixture.service.url}${path}`)
    await assertPagesUsable(page, wideAndPhone, { service: 'VPN', urls })
  },
)

test(
  'remote changes appear without reloading, and a plain user sees only what it may',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { fixture, page } = opened
    await page.getByRole('table', { name: 'Peers' }).getByText('Laptop').waitFor()
    await page.getByLabel('Connection: Live').waitFor()
    const words = ['vpn', 'token', 'create', '--user', 'admin', '--name', 'x', '--permissions', 'full']
    const token = (await runCommand(words, fixture.environment)).stdout.trim()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    await fetch(`${fixture.service.url}/api/peers`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Added elsewhere', interface: 'wg0' }),
    })
    await page.getByText('Added elsewhere').waitFor({ timeout: 5000 })

    await page.keyboard.press('/')
    await page.keyboard.type('lap')
    await page.getByText('Added elsewhere').waitFor({ state: 'detached' })

    await page.context().clearCookies()
    await page.goto(fixture.service.url)
    await signIn(page, 'reader', password)
    assert.deepEqual(await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts(), [
      'Overview',
      'Interfaces',
      'Peers',
      'Access',
      'DNS',
      'Traffic',
    ])
    await page.goto(`${fixture.service.url}/peers`)
    await page.getByText('Laptop').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add peer' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: /^Connect / }).count(), 0)
  },
)
