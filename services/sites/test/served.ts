import { request, type IncomingHttpHeaders } from 'node:http'
import { request as requestSecurely } from 'node:https'
import type { Browser } from './browser.ts'
import type { Site } from '../src/sites/schema.ts'
import { portReopened } from './reopened-port.ts'

/** Answer of a host. */
export interface Served {
  readonly status: number
  readonly text: string
  readonly headers: IncomingHttpHeaders
}

/** Options of a request to a host. */
export interface Asking {
  readonly path?: string
  readonly isSecure?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks a Caddy on loopback for a host, over a connection of its own, as soon as only its newest configuration listens. */
export async function askHost(
  port: number,
  host: string,
  { path = '/', isSecure = false, headers = {} }: Asking = {},
): Promise<Served> {
  await portReopened(port)
  const { promise, resolve, reject } = Promise.withResolvers<Served>()
  const options = {
    port,
    path,
    host: '127.0.0.1',
    headers: { host, ...headers },
    agent: false as const,
    timeout: 10_000,
  }
  const outgoing = isSecure
    ? requestSecurely({ ...options, servername: host, rejectUnauthorized: false })
    : request(options)
  outgoing.on('response', (answer) => {
    let text = ''
    answer.on('data', (part: Buffer) => (text += part.toString()))
    answer.on('error', reject)
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }))
  })
  outgoing.on('timeout', () => outgoing.destroy(new Error(`${host} did not answer`)))
  outgoing.on('error', reject)
  outgoing.end()
  return promise
}

/** The answer to an edit. */
export interface EditAnswer {
  readonly status: string
  readonly site: Site
  readonly synced: boolean
  readonly sync_status: string
  readonly detail?: string
  readonly code?: string
  readonly errors?: readonly { field?: string; message: string; site_id?: number; caddy_error?: string }[]
}

/** A site that answers with a text, over plain HTTP. */
export function sayingSite(name: string, body: string): Record<string, unknown> {
  return { site_name: name, domains: [`${name}.test`], kind: 'respond', tls: { mode: 'off' }, respond: { body } }
}

/** Makes a site, or fails with the answer. */
export async function makeSite(admin: Browser, json: unknown): Promise<Site> {
  const { status, body } = await admin.json<EditAnswer>('POST', '/api/sites', { json })
  if (status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return body.site
}
