import type { Page } from 'playwright-core'
import { assertUsableOn, everyScreen, settled } from './pages.ts'
import type { OpenIdProvider } from './openid-provider.ts'

/** A service whose administrator is signed in in a browser. */
export interface ConnectedPages {
  /** Address of the page with the section **Sign in with Hearth**. */
  readonly settings: string
  /** Address of the sign-in page. */
  readonly signIn: string
  /** Password of the administrator. */
  readonly password: string
  /** Name of the service, for pictures. */
  readonly service: string
}

/** Fills in the dialog that connects a service, and goes to the portal. */
export async function goToPortal(
  page: Page,
  { settings, password }: Pick<ConnectedPages, 'settings' | 'password'>,
  issuer: string,
): Promise<void> {
  await page.goto(settings)
  const section = page.getByRole('region', { name: 'Sign in with Hearth' })
  await section.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByLabel('Address of the portal').fill(issuer)
  await page.getByRole('dialog').getByLabel('Current password').fill(password)
  await page.getByRole('button', { name: 'Continue at the portal' }).click()
}

/**
 * Connects a service on its pages to a fake portal, signs in by the button, and disconnects it. At the end nobody is signed in
 * through the portal any more, and the browser is that of the person.
 */
export async function testPortalConnectionPages(
  page: Page,
  pages: ConnectedPages,
  portal: OpenIdProvider,
): Promise<void> {
  const section = page.getByRole('region', { name: 'Sign in with Hearth' })
  await page.goto(pages.settings)
  await section.getByText('Let people sign in').waitFor()
  await settled(page)
  await assertUsableOn(page, everyScreen, { ready: section, picture: `${pages.service}-portal-none` })
  await goToPortal(page, { ...pages, password: 'not-the-password' }, portal.issuer)
  await page.getByText(/Is not (?:right|your password)/).waitFor()
  await goToPortal(page, pages, 'http://portal.example.org')
  await page.getByText('Must be the https address of a portal').waitFor()
  await assertUsableOn(page, everyScreen, {
    ready: page.getByLabel('Address of the portal'),
    picture: `${pages.service}-portal-dialog`,
  })
  portal.portal.isAllowed = false
  await goToPortal(page, pages, portal.issuer)
  await section.getByRole('alert').filter({ hasText: 'declined at the portal' }).waitFor()
  portal.portal.isAllowed = true
  await goToPortal(page, pages, portal.issuer)
  await section.getByText('Connected', { exact: true }).first().waitFor()
  await section.getByText('family').waitFor()
  if (page.url() !== pages.settings) throw new Error(`the page is at ${page.url()}`)
  await settled(page)
  await assertUsableOn(page, everyScreen, { ready: section, picture: `${pages.service}-portal-connected` })
  await page.context().clearCookies()
  await page.goto(pages.signIn)
  await page.getByRole('link', { name: 'Sign in with Hearth' }).waitFor()
  await assertUsableOn(page, everyScreen, { picture: `${pages.service}-portal-sign-in` })
  await page.getByRole('link', { name: 'Sign in with Hearth' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  portal.portal.isRegistered = false
  await page.goto(pages.settings)
  await section.getByText('Removed at the portal').waitFor()
  await assertUsableOn(page, everyScreen, { ready: section, picture: `${pages.service}-portal-removed` })
  await section.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await section.getByRole('button', { name: 'Connect', exact: true }).waitFor()
}
