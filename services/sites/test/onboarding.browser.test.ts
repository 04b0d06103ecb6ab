import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertAccessible, browserObstacle, settled, visit } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { openPlace, shownCodes, type Place } from './browser-place.ts'
import { testPassword } from './in-process.ts'
import { caddyObstacle, startCaddy, type RealCaddy } from './real-caddy.ts'

const obstacle = browserObstacle()
const skip = obstacle === false ? (caddyObstacle() ?? false) : obstacle

let place: Place
let page: Page
let caddy: RealCaddy

/** The service knows of no Caddy that answers; one that serves two hosts runs beside it. */
before(async () => {
  if (skip !== false) return
  caddy = await startCaddy()
  place = await openPlace(
    {},
    {
      CADDY_HTTP_PORT: String(caddy.httpPort),
      CADDY_HTTPS_PORT: String(caddy.httpsPort),
      CADDY_BIND: '127.0.0.1',
    },
  )
  page = place.page
  const shop = { handler: 'static_response', body: 'shop.test' }
  // Nothing here can express this one.
  const blog = { handler: 'file_server', root: '/nowhere', index_names: ['a'], precompressed: { gzip: {} } }
  const routes = [
    { match: [{ host: ['shop.test'] }], handle: [shop] },
    { match: [{ host: ['blog.test'] }], handle: [{ handler: 'templates' }, blog] },
  ]
  const server = { listen: [`:${caddy.httpPort}`], automatic_https: { disable: true }, routes }
  const { status } = await caddy.load({
    admin: { listen: caddy.adminListen },
    apps: { http: { http_port: caddy.httpPort, https_port: caddy.httpsPort, servers: { old: server } } },
  })
  assert.equal(status, 200)
})
after(async () => {
  await place?.[Symbol.asyncDispose]()
  await caddy?.stop()
})

const button = (name: string) => page.getByRole('button', { name, exact: true })

test('the set-up token creates the first administrator, who gets recovery codes', { skip }, async () => {
  await visit(page, place.url)
  await page.getByRole('heading', { name: 'Set up', level: 1 }).waitFor()
  await assertAccessible(page)
  await button('Make the administrator').click()
  await page.getByText('Required').waitFor()
  await page.getByLabel('Set-up token').fill('not the token')
  await page.getByLabel('Password', { exact: true }).fill('password1')
  await page.getByLabel('Password again').fill('password2')
  await button('Make the administrator').click()
  await page.getByText('Does not match the password').waitFor()
  await page.getByLabel('Password again').fill('password1')
  await button('Make the administrator').click()
  await page.getByText('Is not the token of this service').waitFor()
  await page.getByLabel('Set-up token').fill(place.sites.service.setUpToken() ?? '')
  await button('Make the administrator').click()
  await page.getByText('Is one of the passwords tried first').waitFor()
  const rules = page.getByRole('list', { name: 'Rules for the password' })
  assert.equal(await rules.locator('[data-kept]').count(), 3)
  for (const label of ['Password', 'Password again']) await page.getByLabel(label, { exact: true }).fill(testPassword)
  await button('Make the administrator').click()
  await page.getByRole('heading', { name: 'Welcome, admin' }).waitFor()

  await button('Make recovery codes').click()
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' })
  const codes = await shownCodes(page)
  assert.ok(await dialog.getByRole('button', { name: 'Done' }).isDisabled())
  await page.keyboard.press('Escape')
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download' }).click()
  const file = (await (await download).createReadStream()).toArray() as Promise<Buffer[]>
  const text = Buffer.concat(await file).toString()
  assert.ok(codes.length === 10 && codes.every((code) => text.includes(code)))
  await dialog.getByLabel('I have kept the codes').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('10 left').waitFor()
})

test('a Caddy that serves something is detected, previewed and imported after confirmation', { skip }, async () => {
  await page.getByRole('link', { name: 'Take over Caddy' }).click()
  await page.getByText('No Caddy answers').waitFor()
  await settled(page)
  await assertAccessible(page)
  const endpoint = page.getByLabel('Admin endpoint')
  await endpoint.fill('http://203.0.113.9:2019')
  await button('Connect').click()
  await page.getByText(/203\.0\.113\.9 is not an address of this machine or of a private network/).waitFor()
  await endpoint.fill(`unix/${caddy.socket}`)
  await button('Connect').click()

  const hosts = page.getByRole('list', { name: 'Hosts served now' }).getByRole('listitem')
  await hosts.first().waitFor()
  assert.deepEqual(await hosts.allTextContents(), ['blog.test', 'shop.test'])
  await assertAccessible(page)
  await button('Take over Caddy').click()
  await page.getByText('Choose one').waitFor()
  await page.getByText('Has to be confirmed').waitFor()
  assert.equal((await caddy.get('shop.test', '/')).text, 'shop.test')
  await page.getByRole('radio', { name: 'Import it' }).check()
  await button('Preview the import').click()
  const preview = page.getByRole('dialog', { name: 'What would be imported' })
  await preview
    .getByRole('row', { name: /shop\.test/ })
    .getByText('Can be imported')
    .waitFor()
  await assertAccessible(page)
  await preview.getByRole('button', { name: 'Close' }).click()
  await page.getByLabel(/^This service alone changes/).check()
  await page.getByLabel('E-mail for certificates').fill('ops@example.org')
  await button('Take over Caddy').click()
  await page.getByText('1 site was imported.').waitFor()
  await page.getByRole('heading', { name: 'Caddy is managed' }).waitFor()
  await page
    .getByRole('region', { name: 'Left out' })
    .getByText(/templates/)
    .first()
    .waitFor()
  await assertAccessible(page)
  assert.equal((await caddy.get('shop.test', '/')).text, 'shop.test')
  const running = JSON.stringify(await caddy.config())
  assert.ok(running.includes('site-1') && !running.includes('templates'))

  await visit(page, `${place.url}/settings`)
  await settled(page)
  assert.equal(await page.getByLabel('E-mail for certificates').inputValue(), 'ops@example.org')
  await visit(page, `${place.url}/welcome`)
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
  await visit(page, `${place.url}/onboarding`)
  await page.getByText(/runs what this service says/).waitFor()
})
