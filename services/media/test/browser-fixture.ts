import { startBrowser, type TestBrowser } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { knows, startMedia, type Media } from './in-process.ts'
import type { Platform } from './platform/platform.ts'

/** A service beside a platform it fetches from, and a browser that looks at it. */
export interface BrowserFixture extends AsyncDisposable {
  readonly platform: Platform
  readonly media: Media
  readonly browser: TestBrowser
  readonly page: Page
}

/** Starts a service and a browser beside a platform; nothing is open in the browser yet. */
export async function openBrowserFixture(platform: Platform): Promise<BrowserFixture> {
  await using cleanup = new AsyncDisposableStack()
  const media = cleanup.use(await startMedia(knows(platform.host)))
  const browser = cleanup.use(await startBrowser())
  const resources = cleanup.move()
  return { platform, media, browser, page: browser.page, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Pastes a text where nothing takes it: on the page itself. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ${JSON.stringify(text)})
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)
}
