import { eventually, startBrowser, type TestBrowser } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { startSites, type Browser, type Sites } from './in-process.ts'

/** A service with a Caddy of its own, its administrator, and a browser in which the administrator is signed in. */
export interface Place extends AsyncDisposable {
  readonly sites: Sites
  /** The administrator without a screen. */
  readonly admin: Browser
  readonly browser: TestBrowser
  readonly page: Page
  /** Goes to a page as somebody from an address of their own, so that many pages fit into a minute. */
  visit(path: string): Promise<void>
}

let visitor = 0

/** Starts all of it, and waits until Caddy can be told something. */
export async function openPlace(environment: Readonly<Record<string, string>> = {}): Promise<Place> {
  await using cleanup = new AsyncDisposableStack()
  const sites = cleanup.use(await startSites(environment, { caddy: true }))
  const admin = await sites.signIn()
  await eventually(
    async () => (await admin.call('GET', '/api/v1/ready')).status,
    (status) => status === 200,
  )
  const browser = cleanup.use(await startBrowser({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' }))
  const cookies = [...admin.cookies].map(([name, value]) => ({ name, value, url: sites.url }))
  await browser.context.addCookies(cookies)
  const { page } = browser
  const visit = async (path: string) => {
    visitor += 1
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': `10.30.${(visitor >> 8) & 255}.${visitor & 255}` })
    await page.goto(`${sites.url}${path}`)
  }
  const resources = cleanup.move()
  return { sites, admin, browser, page, visit, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Waits until nothing on the page is being loaded any more. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await eventually(
    () => page.locator('[aria-busy=true], [aria-label=Loading]').count(),
    (count) => count === 0,
    { what: 'loaded content' },
  )
}
