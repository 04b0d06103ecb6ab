import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { eventually, visit } from '@hearth/testing'
import { openPlace, type Place } from './browser-place.ts'
import { type Browser } from './browser.ts'

/** A service with a Caddy of its own, whose administrator is signed in: in the browser, and without a screen. */
export interface SitesPlace extends Place {
  readonly admin: Browser
  /** Goes to a page as somebody from an address of their own, so that many pages fit into a minute. */
  readonly goTo: (path: string) => Promise<void>
}

/** Starts all of it, and waits until Caddy can be told something. */
export async function openSitesPlace(environment: Record<string, string> = {}): Promise<SitesPlace> {
  const place = await openPlace({ caddy: true }, environment)
  const { sites, browser, page } = place
  const admin = await sites.signIn()
  await eventually(
    async () => (await admin.call('GET', '/api/v1/ready')).status,
    (status) => status === 200,
  )
  const cookies = [...admin.cookies].map(([name, value]) => ({ name, value, url: sites.url }))
  await browser.context.addCookies(cookies)
  browser.context.setDefaultTimeout(30_000)
  const goTo = (path: string) => visit(page, `${sites.url}${path}`)
  return { ...place, admin, goTo, url: sites.url }
}

/** A server to be behind a site; says its name to everybody. */
export interface SayingServer extends AsyncDisposable {
  readonly url: string
}

export async function startSayingServer(name: string): Promise<SayingServer> {
  const server = createServer((_, answer) => answer.end(name))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
