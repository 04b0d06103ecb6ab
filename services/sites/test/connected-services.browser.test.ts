import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertUsable, browserObstacle, everyScreen, postgresObstacle, screenshot, startBrowser } from '@hearth/testing'
import { goToPortal } from '@hearth/testing/test-portal-connection'
import type { Page } from 'playwright-core'
import type { OpenIdClientList } from '../src/openid-provider/schema.ts'
import { startHouseService } from './connected-house.ts'
import { testPassword } from './in-process.ts'
import { must, openPortalPlace, type PortalPlace } from './portal-place.ts'
import { caddyObstacle } from './real-caddy.ts'

// Browsers look this name up nowhere, and take its certificate for passkeys.
const host = 'auth.localhost'
const skip = browserObstacle() || (caddyObstacle() ?? false)

let place: PortalPlace
let issuer: string

before(async () => {
  if (skip !== false) return
  place = await openPortalPlace(host)
  issuer = `https://${host}:${place.sites.caddyPorts[1]}`
  await place.addVisitor('ann', ['family', 'parents'])
  await place.addVisitor('bob', ['guests'])
  // Caddy has its root certificate once a page was asked for.
  const visitor = place.visitor()
  await visitor.follow(issuer)
})
after(() => place?.[Symbol.asyncDispose]())

const services = [
  { name: 'vpn', title: 'Hearth VPN', hasPostgres: false },
  { name: 'vpn', title: 'Hearth VPN', hasPostgres: true },
  { name: 'inverter', title: 'Hearth Inverter', hasPostgres: false },
  { name: 'media', title: 'Hearth Media', hasPostgres: false },
  { name: 'media', title: 'Hearth Media', hasPostgres: true },
] as const

for (const { name, title, hasPostgres } of services)
  test(
    `${title} on ${hasPostgres ? 'PostgreSQL' : 'its own database'} is connected, signs people in with one click, and is disconnected`,
    { skip: skip || (hasPostgres && postgresObstacle()) },
    async () => {
      await using service = await startHouseService(name, place, hasPostgres)
      await using browser = await startBrowser({ ignoreHTTPSErrors: true })
      const { page } = browser
      const section = page.getByRole('region', { name: 'Sign in with Hearth' })
      await service.signIn(page)
      await goToPortal(page, { ...service, password: testPassword }, issuer)
      await page.getByText(`To continue to ${title}`).waitFor()
      await signInAtPortal(page, 'admin')
      await page.getByRole('heading', { name: `Connect ${title}?` }).waitFor()
      await page.getByText(service.publicUrl).waitFor()
      if (!hasPostgres) await lookAt(page, `connect-${name}`)
      await page.getByRole('group', { name: 'Who may sign in there' }).getByLabel('Group family').check()
      if (name === 'vpn')
        await page.getByRole('group', { name: 'Who are administrators there' }).getByLabel('Group parents').check()
      await page.getByRole('button', { name: 'Allow' }).click()
      await section.getByText('Connected', { exact: true }).first().waitFor()
      assert.equal(page.url(), service.settings)
      const { clients } = await must<OpenIdClientList>(place.admin, 'GET', '/api/v1/openid/clients')
      assert.deepEqual(
        clients.map((client) => [client.name, client.redirect_uris.length]),
        [[title, 1]],
      )

      await page.context().clearCookies()
      await page.goto(issuer)
      await signInAtPortal(page, 'ann')
      await page.getByText('You are signed in as ann.').waitFor()
      await page.goto(service.signInPage)
      await page.getByRole('link', { name: 'Sign in with Hearth' }).click()
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      // Only administrators have it.
      if (name === 'vpn') await page.getByRole('link', { name: 'Users' }).waitFor()

      await page.context().clearCookies()
      await page.goto(issuer)
      await signInAtPortal(page, 'bob')
      await page.getByText('You are signed in as bob.').waitFor()
      await page.goto(service.signInPage)
      await page.getByRole('link', { name: 'Sign in with Hearth' }).click()
      await page.getByText(`may not use ${title}`).waitFor()

      await page.context().clearCookies()
      await service.signIn(page)
      await page.goto(service.settings)
      await section.getByRole('button', { name: 'Disconnect' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
      await section.getByRole('button', { name: 'Connect', exact: true }).waitFor()
      const left = await must<OpenIdClientList>(place.admin, 'GET', '/api/v1/openid/clients')
      assert.deepEqual(left.clients, [])
      assert.doesNotMatch(service.output(), /code=|Bearer|client_secret/)
    },
  )

async function signInAtPortal(page: Page, username: string): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password or recovery code').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function lookAt(page: Page, picture: string): Promise<void> {
  for (const [width, colorScheme] of everyScreen) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await assertUsable(page)
    await screenshot(page, `${picture}-${width}-${colorScheme}`)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}
