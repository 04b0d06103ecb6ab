import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { eventually, startBrowser, type TestBrowser } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { knows, startMedia, type Media } from './in-process.ts'
import type { Platform } from './platform/platform.ts'

/** A service beside a platform it fetches from, and a browser that looks at it. */
export interface Place extends AsyncDisposable {
  readonly platform: Platform
  readonly media: Media
  readonly browser: TestBrowser
  readonly page: Page
}

/** Starts a service and a browser beside a platform; nothing is open in the browser yet. */
export async function openPlace(platform: Platform): Promise<Place> {
  await using cleanup = new AsyncDisposableStack()
  const media = cleanup.use(await startMedia(knows(platform.host)))
  const browser = cleanup.use(await startBrowser({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' }))
  const resources = cleanup.move()
  return { platform, media, browser, page: browser.page, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Goes to a page as somebody from an address of their own, so that many pages fit into a minute. */
export async function visit(page: Page, url: string, visitor: number): Promise<void> {
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': `10.20.${(visitor >> 8) & 255}.${visitor & 255}` })
  await page.goto(url)
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

/** Pastes a text where nothing takes it: on the page itself. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ${JSON.stringify(text)})
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)
}

/** A way to a service that can be cut, with what goes on over it, and mended again. */
export interface Wire extends AsyncDisposable {
  readonly url: string
  cut(): void
  mend(): void
}

export async function startWire(to: string): Promise<Wire> {
  const target = new URL(to)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => undefined)
    }
    client.pipe(upstream).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    if (isCut) client.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      isCut = false
    },
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
