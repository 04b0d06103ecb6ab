import { startBrowser, type TestBrowser } from '@hearth/testing'
import type { Page } from 'playwright-core'
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
  const browser = cleanup.use(await startBrowser())
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
