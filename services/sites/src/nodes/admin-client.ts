import { setTimeout as pause } from 'node:timers/promises'
import type { AdminAddress } from './admin-address.ts'
import { AdminUnknown, sendAdminCall, type AdminReply } from './admin-request.ts'

/** What became of a configuration that was sent. */
export type ReplaceOutcome =
  | { readonly kind: 'accepted' }
  /** Caddy's own words; the earlier configuration goes on. */
  | { readonly kind: 'rejected'; readonly text: string }
  /** Somebody else changed the configuration since its tag was read. */
  | { readonly kind: 'changed' }

/** A configuration as it runs, with its tag. */
export interface RunningConfig {
  /** As Caddy writes it. */
  readonly text: string
  /** The same, parsed when it is first asked for; null for none. Throws `AdminUnknown` when it is no JSON. */
  readonly config: unknown
  readonly etag: string
}

/** One address that sites are proxied to, as Caddy counts it. */
export interface UpstreamCount {
  readonly address: string
  readonly num_requests: number
  readonly fails: number
}

/**
 * The admin endpoint of one Caddy. Every call throws `AdminUnreachable` when nothing was sent, and those that change something
 * `AdminUnknown` when no answer came.
 */
export interface AdminClient {
  readConfig(): Promise<RunningConfig>
  /** Replaces everything, if it is still what the tag says; without a tag in any case. A text is JSON already. */
  replaceConfig(config: object | string, etag: string | undefined): Promise<ReplaceOutcome>
  /** Says what Caddy says of a configuration that cannot go live: see `withSentinel`. */
  tryConfig(config: object): Promise<string>
  /** Turns the text of a Caddyfile into a configuration, without provisioning it. Rejects with `AdaptFailed`. */
  adapt(caddyfile: string): Promise<{ config: unknown; warnings: readonly string[] }>
  upstreams(): Promise<readonly UpstreamCount[]>
  /** Root certificate of the internal authority, PEM; undefined while there is none. */
  rootCertificate(): Promise<string | undefined>
}

/** A Caddyfile that cannot be adapted, in Caddy's words. */
export class AdaptFailed extends Error {
  override readonly name = 'AdaptFailed'
}

const shortLimit = 10_000
/** Loading takes about 0.2 ms a site, provisioning of certificates more. */
const loadLimit = 60_000

/** A client without state: each call has a connection of its own. */
export function createAdminClient(address: AdminAddress): AdminClient {
  return {
    readConfig: () => readConfig(address),
    replaceConfig: (config, etag) => replaceConfig(address, config, etag),
    tryConfig: (config) => tryConfig(address, config),
    adapt: (caddyfile) => adapt(address, caddyfile),
    async upstreams() {
      const reply = await read(address, '/reverse_proxy/upstreams')
      return reply.status === 200 ? ((JSON.parse(reply.body) as UpstreamCount[] | null) ?? []) : []
    },
    async rootCertificate() {
      const reply = await read(address, '/pki/ca/local')
      if (reply.status !== 200) return undefined
      return (JSON.parse(reply.body) as { root_certificate?: string }).root_certificate
    },
  }
}

async function readConfig(address: AdminAddress): Promise<RunningConfig> {
  const reply = await read(address, '/config/')
  if (reply.status !== 200 || reply.etag === undefined) throw unexpected(reply)
  return new ReadConfig(reply.body, reply.etag)
}

class ReadConfig implements RunningConfig {
  readonly text: string
  readonly etag: string
  #parsed: { readonly config: unknown } | undefined

  constructor(text: string, etag: string) {
    this.text = text
    this.etag = etag
  }

  get config(): unknown {
    this.#parsed ??= { config: parse(this.text) }
    return this.#parsed.config
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AdminUnknown('the admin endpoint answered something that is no JSON', { cause: error })
  }
}

async function replaceConfig(
  address: AdminAddress,
  config: object | string,
  etag: string | undefined,
): Promise<ReplaceOutcome> {
  const headers = etag === undefined ? {} : { 'if-match': etag }
  const body = typeof config === 'string' ? config : JSON.stringify(config)
  const reply = await sendAdminCall(address, { method: 'POST', path: '/config/', body, headers, timeoutMs: loadLimit })
  if (reply.status === 200) return { kind: 'accepted' }
  if (reply.status === 412) return { kind: 'changed' }
  // Version 2.6 calls it an error of its own when a module cannot be loaded.
  if (reply.status === 400 || reply.status === 500) return { kind: 'rejected', text: errorText(reply) }
  throw unexpected(reply)
}

/**
 * A dry run changes nothing, so one whose connection broke off is made again: version 2.6 opens its endpoint anew even for what
 * it refuses, and drops who came to the old one.
 */
async function tryConfig(address: AdminAddress, config: object): Promise<string> {
  const call = { method: 'POST', path: '/load', body: JSON.stringify(config), timeoutMs: loadLimit } as const
  for (let left = 3; ; left -= 1) {
    try {
      const reply = await sendAdminCall(address, call)
      if (reply.status !== 200) return errorText(reply)
    } catch (error) {
      if (left === 0 || !/ECONNRESET|EPIPE|socket hang up/.test((error as Error).message)) throw error
      await pause(50)
      continue
    }
    throw new AdminUnknown('a configuration that cannot go live was accepted')
  }
}

async function adapt(address: AdminAddress, body: string) {
  const headers = { 'content-type': 'text/caddyfile' }
  const reply = await sendAdminCall(address, { method: 'POST', path: '/adapt', body, headers, timeoutMs: shortLimit })
  if (reply.status !== 200) throw new AdaptFailed(errorText(reply))
  const { result, warnings } = JSON.parse(reply.body) as { result: unknown; warnings?: { message: string }[] | null }
  return { config: result, warnings: (warnings ?? []).map(({ message }) => message) }
}

/** Reading is harmless, so a connection that a reload has closed is tried once more. */
async function read(address: AdminAddress, path: string): Promise<AdminReply> {
  const call = { method: 'GET', path, timeoutMs: shortLimit } as const
  try {
    return await sendAdminCall(address, call)
  } catch {
    await pause(50)
    return await sendAdminCall(address, call)
  }
}

function errorText({ body }: AdminReply): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown }
    if (typeof error === 'string') return error
  } catch {
    // Not every error is an object.
  }
  return body.slice(0, 2000)
}

function unexpected(reply: AdminReply): AdminUnknown {
  return new AdminUnknown(`the admin endpoint answered ${reply.status}: ${errorText(reply).slice(0, 300)}`)
}
