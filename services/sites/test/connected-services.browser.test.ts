import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  eventually,
  assertUsableOn,
  browserObstacle,
  everyScreen,
  postgresObstacle,
  signIn,
  startBrowser,
} from '@hearth/testing'
import { goToPortal } from '@hearth/testing/test-portal-connection'
import type { Page } from 'playwright-core'
import type { OpenIdClientList } from '../src/openid-provider/schema.ts'
import { startHouseService, type HouseService } from './connected-house.ts'
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
      if (name === 'vpn') await assertSuggested(page, service)
      await goToPortal(page, { ...service, password: testPassword }, issuer)
      await page.getByText(`To continue to ${title}`).waitFor()
      await signInAtPortal(page, 'admin')
      await page.getByRole('heading', { name: `Connect ${title}?` }).waitFor()
      await page.getByText(service.publicUrl).waitFor()
      if (!hasPostgres) await assertUsableOn(page, everyScreen, { picture: `connect-${name}` })
      await page.getByRole('group', { name: 'Who may sign in there' }).getByLabel('Group family').check()
      if (name === 'vpn')
        await page.getByRole('group', { name: 'Who are administrators there' }).getByLabel('Group parents').check()
      await page.getByRole('button', { name: 'Allow' }).click()
      await section.getByText('Connected', { exact: true }).first().waitFor()
      assert.equal(page.url(), service.settings)
      assert.deepEqual(await applicationsAt(service.publicUrl), [title])
      if (!hasPostgres) await changeGroups(title, name)

      await page.context().clearCookies()
      await page.goto(issuer)
      await signInAtPortal(page, 'ann')
      await page.getByText('You are signed in as ann.').waitFor()
      await page.goto(service.signInPage)
      await page.getByRole('link', { name: 'Sign in with Hearth' }).click()
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      // Only administrators have it.
      if (name === 'vpn') await page.getByRole('link', { name: 'Users' }).waitFor()

      await page.goto(issuer)
      await page.getByRole('button', { name: 'Sign out of all sites' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await eventually(
        () => isSignedOut(page, service),
        (isOut) => isOut,
        { what: 'the end of the session', everyMs: 1000 },
      )

      await page.context().clearCookies()
      await page.goto(issuer)
      await signInAtPortal(page, 'bob')
      await page.getByText('You are signed in as bob.').waitFor()
      await page.goto(service.signInPage)
      await page.getByRole('link', { name: 'Sign in with Hearth' }).click()
      await page.getByText(`may not use ${title}`).waitFor()

      await page.context().clearCookies()
      if (name === 'inverter') {
        await deleteApplication(title)
        await page.goto(service.signInPage)
        await page.getByRole('link', { name: 'Sign in with Hearth' }).click()
        await page.getByRole('alert').filter({ hasText: 'portal does not know this service any more' }).waitFor()
      }
      await service.signIn(page)
      await page.goto(service.settings)
      if (name === 'inverter') await section.getByText('Removed at the portal').waitFor()
      await section.getByRole('button', { name: 'Disconnect' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
      await section.getByRole('button', { name: 'Connect', exact: true }).waitFor()
      assert.deepEqual(await applicationsAt(service.publicUrl), [])
      assert.doesNotMatch(service.output(), /code=|Bearer|client_secret/)
    },
  )

/** The dialog has the portal of the sites service beside this one, at the usual port. */
async function assertSuggested(page: Page, { settings }: HouseService): Promise<void> {
  await page.goto(settings)
  const section = page.getByRole('region', { name: 'Sign in with Hearth' })
  await section.getByRole('button', { name: 'Connect', exact: true }).click()
  assert.equal(await page.getByLabel('Address of the portal').inputValue(), `https://${host}`)
}

/** Opens the service again; true when it asks to sign in. */
async function isSignedOut(page: Page, { signInPage }: HouseService): Promise<boolean> {
  await page.goto(signInPage)
  const button = page.getByRole('link', { name: 'Sign in with Hearth' })
  await button.or(page.getByRole('navigation', { name: 'Main' })).waitFor()
  return (await button.count()) === 1
}

/** Names of the applications of the portal that are at this address. */
async function applicationsAt(address: string): Promise<string[]> {
  const { clients } = await must<OpenIdClientList>(place.admin, 'GET', '/api/v1/openid/clients')
  return clients.flatMap(({ name, redirect_uris: [uri = ''] }) => (uri.startsWith(`${address}/`) ? [name] : []))
}

async function deleteApplication(name: string): Promise<void> {
  const { clients } = await must<OpenIdClientList>(place.admin, 'GET', '/api/v1/openid/clients')
  const id = clients.find((client) => client.name === name)?.id ?? ''
  await must(place.admin, 'DELETE', `/api/v1/openid/clients/${id}`)
}

/** Changes who may sign in to a service, in the list of applications. */
async function changeGroups(title: string, name: string): Promise<void> {
  await using browser = await startBrowser()
  const { page } = browser
  await page.goto(`${place.sites.url}/applications`)
  await signIn(page, 'admin', testPassword)
  await page.getByRole('row', { name: new RegExp(`${title} Hearth service`) }).waitFor()
  await page.getByRole('button', { name: `Change: ${title}` }).click()
  const dialog = page.getByRole('dialog')
  const groups = dialog.getByRole('combobox', { name: 'Groups that may sign in' })
  await groups.waitFor()
  await assertUsableOn(page, everyScreen, { ready: groups, picture: `connected-groups-${name}` })
  await groups.click()
  await page.getByRole('option', { name: 'parents' }).click()
  await dialog.getByText('It counts at once').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('row', { name: /family, parents/ }).waitFor()
}

async function signInAtPortal(page: Page, username: string): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password or recovery code').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
