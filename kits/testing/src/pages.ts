import type { Page } from 'playwright-core'
import { assertAccessible } from './browser.ts'
import { nextAddress } from './cookie-client.ts'
import { eventually } from './eventually.ts'

/** Goes to a page from an address that nobody else comes from: one address may send only so many requests a minute. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': nextAddress() })
  await page.goto(url)
}

/** Waits until the page has a heading and nothing on it is still loading. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await eventually(
    () => page.locator('[aria-busy=true], [aria-label=Loading]').count(),
    (count) => count === 0,
    { what: 'loaded content' },
  )
}

/** Fills and sends the sign-in form. */
export async function submitSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Signs in and waits for the application. */
export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await submitSignIn(page, username, password)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** Replaces the generated password where the application asks for it, and waits for the application. */
export async function replacePassword(page: Page, from: string, to: string): Promise<void> {
  await page.getByLabel('Current password').fill(from)
  await page.getByLabel('New password', { exact: true }).fill(to)
  await page.getByLabel('New password again').fill(to)
  await page.locator('button[type=submit]').click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** A width in pixels with a colour scheme. */
export type Screen = readonly [width: number, colorScheme: 'light' | 'dark']

/** A wide light screen and a dark phone. */
export const wideAndPhone: readonly Screen[] = [
  [1280, 'light'],
  [390, 'dark'],
]

/** A wide screen and a phone, each light and dark. */
export const everyScreen: readonly Screen[] = [
  [1440, 'light'],
  [1440, 'dark'],
  [390, 'light'],
  [390, 'dark'],
]

/** Gives the page the size and the colours of a screen. */
export async function showOn(page: Page, [width, colorScheme]: Screen): Promise<void> {
  await page.setViewportSize({ width, height: 844 })
  await page.emulateMedia({ colorScheme })
}

/** Fails when axe finds anything wrong on the page as it stands, or when the page is wider than the screen. */
export async function assertUsable(page: Page): Promise<void> {
  await assertAccessible(page)
  const [excess, width] = (await page.evaluate(
    '[document.documentElement.scrollWidth - document.documentElement.clientWidth, innerWidth]',
  )) as [number, number]
  if (excess > 0) throw new Error(`${page.url()} is ${excess} px wider than ${width}`)
}

/** Pages of a service to look at; its name, such as `Media`, ends each title. */
export interface PagesToUse {
  readonly service: string
  readonly urls: readonly string[]
  readonly open?: (url: string) => Promise<unknown>
}

/** Opens every address on the screen and fails when a page is not usable or its title does not name the service. */
export async function assertPagesUsable(
  page: Page,
  screen: Screen,
  { service, urls, open = (url) => page.goto(url) }: PagesToUse,
): Promise<void> {
  await showOn(page, screen)
  for (const url of urls) {
    await open(url)
    await settled(page)
    await assertUsable(page)
    const title = await page.title()
    if (!title.endsWith(`Hearth ${service}`)) throw new Error(`${url} has the title ${title}`)
  }
}
