import { setTimeout as pause } from 'node:timers/promises'
import { parseJson } from '@hearth/runtime'
import type { AdminAddress } from './admin-address.ts'
import { AdminUnknown, sendAdminCall, type AdminCall, type AdminReply } from './admin-request.ts'
import { AdaptFailed, type Adapt } from '../../sites/raw/adapt.ts'
import { isMembers, readRunning } from './running-config.ts'

/** Outcome of sending a configuration. */
export type ReplaceOutcome =
  | { readonly kind: 'accepted' }
  /** Caddy's message; the earlier configuration goes on. */
  | { readonly kind: 'rejected'; readonly text: string }
  /** Somebody else changed the configuration since its tag was read. */
  | { readonly kind: 'changed' }

/** One address that sites are proxied to, as Caddy counts it. */
export interface UpstreamCount {
  readonly address: string
  readonly num_requests: number
  readonly fails: number
}

/** The admin endpoint of one Caddy. */
export type AdminClient = ReturnType<typeof createAdminClient>

const shortLimit = 10_000
const metricsLimit = 3000
/** Characters of an error that are kept. */
const maxError = 10_000
/** Loading takes about 0.2 ms a site, provisioning of certificates more. */
const loadLimit = 60_000

/**
 * Creates a client without state: each call opens a connection. Every call throws `AdminUnreachable` when nothing was sent, and
 * those that change something `AdminUnknown` when no answer came.
 */
export function createAdminClient(address: AdminAddress) {
  return {
    async readConfig(): Promise<RunningConfig> {
      const reply = await read(address, '/config/')
      if (reply.status !== 200 || reply.etag === undefined) throw unexpected(reply)
      return new RunningConfig(reply.body, reply.etag)
    },
    /** Replaces everything, if it is still what the tag says; without a tag in any case. A text is JSON already. */
    async replaceConfig(config: object | string, etag: string | undefined): Promise<ReplaceOutcome> {
      const headers = etag === undefined ? {} : { 'if-match': etag }
      const body = typeof config === 'string' ? config : JSON.stringify(config)
      const call = { method: 'POST', path: '/config/', body, headers, timeoutMs: loadLimit } as const
      const reply = await sendAdminCall(address, call)
      if (reply.status === 200) return { kind: 'accepted' }
      if (reply.status === 412) return { kind: 'changed' }
      // Version 2.6 answers 500 when a module cannot be loaded.
      if (reply.status === 400 || reply.status === 500) return { kind: 'rejected', text: errorText(reply) }
      throw unexpected(reply)
    },
    /** Returns Caddy's message about a configuration that cannot go live: see `withSentinel`. */
    async tryConfig(config: object): Promise<string> {
      const call = { method: 'POST', path: '/load', body: JSON.stringify(config), timeoutMs: loadLimit } as const
      const reply = await harmless(address, call)
      if (reply.status === 200) throw new AdminUnknown('a configuration that cannot go live was accepted')
      return errorText(reply)
    },
    adapt: ((caddyfile) => adapt(address, caddyfile)) satisfies Adapt,
    async upstreams(): Promise<readonly UpstreamCount[]> {
      const reply = await read(address, '/reverse_proxy/upstreams')
      const counts = reply.status === 200 ? parseJson(reply.body) : []
      return Array.isArray(counts) ? counts.filter(isUpstreamCount) : []
    },
    /** Returns the start time of the Caddy process, from its metrics; undefined where they lack it. Never throws. */
    async processStart(): Promise<string | undefined> {
      const call = { method: 'GET', path: '/metrics', timeoutMs: metricsLimit } as const
      const reply = await harmless(address, call).catch(() => undefined)
      return /^process_start_time_seconds (\S+)$/m.exec(reply?.body ?? '')?.[1]
    },
    /** Returns the root certificate of the internal authority, PEM; undefined while there is none. */
    async rootCertificate(): Promise<string | undefined> {
      const reply = await read(address, '/pki/ca/local')
      if (reply.status !== 200) return undefined
      const authority = parseJson(reply.body)
      const pem = isMembers(authority) ? authority['root_certificate'] : undefined
      if (typeof pem !== 'string' || !pem.startsWith('-----BEGIN CERTIFICATE-----')) throw unexpected(reply)
      return pem
    },
  }
}

/** A configuration as it runs, with its tag. */
export class RunningConfig {
  /** As Caddy writes it. */
  readonly text: string
  readonly etag: string
  #parsed: { readonly config: unknown } | undefined

  constructor(text: string, etag: string) {
    this.text = text
    this.etag = etag
  }

  /** The same, parsed at the first use; null for none. Throws `AdminUnknown` when it is no JSON. */
  get config(): unknown {
    this.#parsed ??= { config: parse(this.text) }
    return this.#parsed.config
  }
}

function parse(text: string): unknown {
  const running = readRunning(text)
  if (running === undefined)
    throw new AdminUnknown('the admin endpoint answered with what is no configuration of Caddy')
  return running.config
}

async function adapt(address: AdminAddress, body: string) {
  const headers = { 'content-type': 'text/caddyfile' }
  const reply = await sendAdminCall(address, { method: 'POST', path: '/adapt', body, headers, timeoutMs: shortLimit })
  if (reply.status !== 200) throw new AdaptFailed(errorText(reply))
  const answer = parseJson(reply.body)
  if (!isMembers(answer)) throw unexpected(reply)
  const { result, warnings } = answer as { result: unknown; warnings?: { message: string }[] | null }
  return { config: result, warnings: (warnings ?? []).map(({ message }) => message) }
}

/** Caddy closes connections at every change, and at every dry run. What changes nothing is tried again. */
async function harmless(address: AdminAddress, call: AdminCall): Promise<AdminReply> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendAdminCall(address, call)
    } catch (error) {
      const isBroken = /ECONNRESET|ENOENT|ECONNREFUSED|EPIPE|socket hang up|broke off/.test((error as Error).message)
      if (attempt === attempts || !isBroken) throw error
      await pause(50 * attempt)
    }
  }
}

const attempts = 4

const read = (address: AdminAddress, path: string) => harmless(address, { method: 'GET', path, timeoutMs: shortLimit })

function isUpstreamCount(value: unknown): value is UpstreamCount {
  return isMembers(value) && typeof value['address'] === 'string'
}

/** Returns Caddy's message. Other bodies are not passed on: they may be of another server. */
function errorText({ status, body }: AdminReply): string {
  const answer = parseJson(body)
  const error = isMembers(answer) ? answer['error'] : undefined
  return typeof error === 'string' ? error.slice(0, maxError) : `status ${status}, and no words of Caddy`
}

function unexpected(reply: AdminReply): AdminUnknown {
  return new AdminUnknown(`the admin endpoint answered unexpectedly: ${errorText(reply).slice(0, 300)}`)
}
