import { startBrowser, eventually, type TestBrowser } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { nextAddress } from './browser.ts'
import { startSites, testPassword, type Sites, type SitesOptions } from './in-process.ts'

/** A service and a browser that looks at it. */
export interface Place extends AsyncDisposable {
  readonly sites: Sites
  readonly browser: TestBrowser
  readonly page: Page
  /** The service by its name: passkeys belong to names. */
  readonly url: string
}

/** Starts a service and a browser; nothing is open in the browser yet. */
export async function openPlace(options: SitesOptions = {}, environment: Record<string, string> = {}): Promise<Place> {
  await using cleanup = new AsyncDisposableStack()
  const sites = cleanup.use(await startSites(environment, options))
  const browser = cleanup.use(await startBrowser({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' }))
  const resources = cleanup.move()
  return {
    sites,
    browser,
    page: browser.page,
    get url() {
      return sites.url.replace('127.0.0.1', 'localhost')
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Goes to a page as somebody from an address of their own, because one address has only so many requests a minute. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': nextAddress() })
  await page.goto(url)
}

/** Waits until nothing on the page is being loaded any more. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await eventually(
    () => page.locator('[aria-busy=true], [aria-label=Loading]').count(),
    (count) => count === 0,
    { what: 'loaded content' },
  )
}

/** Fills and sends the sign-in form. */
export async function signIn(page: Page, name: string, password = testPassword): Promise<void> {
  await page.getByLabel('User name').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Signs in and waits for the application. */
export async function enter(page: Page, name: string, password = testPassword): Promise<void> {
  await signIn(page, name, password)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** Answers the question whether it is really them, by password. */
export async function confirm(page: Page, password = testPassword): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** The recovery codes that are shown, once they are. */
export async function shownCodes(page: Page): Promise<string[]> {
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await codes.first().waitFor()
  return codes.allTextContents()
}
