import type { Locator, Page } from 'playwright-core'
import { assertAccessible, screenshot } from './browser.ts'
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

/** Gives the page the size and the colours of a screen, and waits until it has taken them over. */
export async function showOn(page: Page, [width, colorScheme]: Screen): Promise<void> {
  await page.setViewportSize({ width, height: 844 })
  await page.emulateMedia({ colorScheme })
  await eventually(
    () => page.evaluate('document.documentElement.dataset.mantineColorScheme'),
    (shown) => shown === undefined || shown === colorScheme,
    { what: `${colorScheme} colours` },
  )
  await page.evaluate(endOfTransitions)
}

const endOfTransitions = `Promise.all(
  document.getAnimations()
    .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    .map((one) => one.finished.catch(() => undefined)),
)`

/** Fails when axe finds anything wrong on the page as it stands, or when the page is wider than the screen. */
export async function assertUsable(page: Page): Promise<void> {
  await assertAccessible(page)
  await assertFits(page)
}

async function assertFits(page: Page): Promise<void> {
  const [excess, width] = (await page.evaluate(
    '[document.documentElement.scrollWidth - document.documentElement.clientWidth, innerWidth]',
  )) as [number, number]
  if (excess > 0) throw new Error(`${page.url()} is ${excess} px wider than ${width}`)
}

/** How a page is looked at on several screens. */
interface Look {
  /** What must be there, and in view, on each screen. */
  readonly ready?: Locator
  /** Name of the pictures to keep; see {@link screenshot}. */
  readonly picture?: string
}

/**
 * Shows the page as it stands on one screen after the other, and fails where it is not usable. Leaves it light and as wide as it
 * was.
 */
export async function assertUsableOn(page: Page, screens: readonly Screen[], look: Look = {}): Promise<void> {
  const before = page.viewportSize()
  await lookOn(page, screens, async (screen) => {
    await look.ready?.scrollIntoViewIfNeeded()
    if (look.picture !== undefined) await screenshot(page, `${look.picture}-${screen.join('-')}`)
  })
  await showOn(page, [1280, 'light'])
  if (before !== null) await page.setViewportSize(before)
}

/** Another colour scheme on a screen of the same width changes colours alone, so that only they are looked at again. */
async function lookOn(page: Page, screens: readonly Screen[], prepare: (screen: Screen) => Promise<void>) {
  let seen: number | undefined
  for (const screen of screens) {
    await showOn(page, screen)
    await prepare(screen)
    await assertAccessible(page, screen[0] === seen ? 'colours' : 'everything')
    await assertFits(page)
    seen = screen[0]
  }
}

/** Pages of a service to look at; its name, such as `Media`, ends each title. */
export interface PagesToUse {
  readonly service: string
  readonly urls: readonly string[]
  readonly open?: (url: string) => Promise<unknown>
}

/**
 * Opens every address, shows it on every screen, and fails when a page is not usable or its title does not name the service.
 */
export async function assertPagesUsable(
  page: Page,
  screens: readonly Screen[],
  { service, urls, open = (url) => page.goto(url) }: PagesToUse,
): Promise<void> {
  for (const [index, url] of urls.entries()) {
    // Half of the pages begin on the last screen, often a phone: a page may build what it shows when it is opened.
    const order = index % 2 === 0 ? screens : screens.toReversed()
    if (order[0] !== undefined) await showOn(page, order[0])
    await open(url)
    await lookOn(page, order, () => settled(page))
    const title = await page.title()
    if (!title.endsWith(`Hearth ${service}`)) throw new Error(`${url} has the title ${title}`)
  }
}
