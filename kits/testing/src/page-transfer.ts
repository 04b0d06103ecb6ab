import { get } from 'node:http'
import type { Page } from 'playwright-core'

/** One answer that a page loaded, with the bytes it took on the wire, headers included. */
export interface Transfer {
  readonly url: string
  readonly bytes: number
}

/**
 * Loads a page with an empty cache and counts what crosses the wire until `load` is through. Files count with gzip, which is
 * all that browsers take from a server without TLS that is not their own machine. Open streams do not count.
 */
export async function measureTransfer(page: Page, load: () => Promise<unknown>): Promise<Transfer[]> {
  // Nothing of the page before may be under way.
  await page.goto('about:blank')
  const session = await page.context().newCDPSession(page)
  const urls = new Map<string, string>()
  const transfers: Transfer[] = []
  session.on('Network.responseReceived', ({ requestId, response }) => urls.set(requestId, response.url))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    // What comes from the cache of this visit crosses no wire.
    if (encodedDataLength > 0) transfers.push({ url: urls.get(requestId) ?? '', bytes: encodedDataLength })
  })
  await session.send('Network.enable')
  await session.send('Network.clearBrowserCache')
  await load()
  await page.waitForLoadState('load')
  await session.detach()
  return Promise.all(
    transfers.map(async ({ url, bytes }) => ({ url, bytes: url.includes('/assets/') ? await gzipBytes(url) : bytes })),
  )
}

/** Bytes of an answer with gzip: its head and its body. */
function gzipBytes(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (answer) => {
      let bytes = answer.rawHeaders.join('').length + 2 * answer.rawHeaders.length
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
      answer.on('end', () => resolve(bytes))
      answer.on('error', reject)
    }).on('error', reject)
  })
}

/** Fails with the list of what was loaded when it is more than `limit` bytes together. */
export function assertTransferBelow(transfers: readonly Transfer[], limit: number): void {
  const total = transfers.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total <= limit) return
  const lines = [...transfers].sort((a, b) => b.bytes - a.bytes).map(({ url, bytes }) => `${bytes} ${url}`)
  throw new Error(`the page loads ${total} bytes, more than ${limit}:\n${lines.join('\n')}`)
}
