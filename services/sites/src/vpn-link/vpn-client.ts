import { OutboundFailed, OutboundRefused, type GuardedAnswer, type GuardedFetch } from '@hearth/outbound'
import { parseJson } from '@hearth/runtime'
import { z } from 'zod'
import { networkOf } from './networks.ts'
import { recordKey, type NameRecord, type RecordBatch } from './plan-records.ts'
import type { Tunnel } from './schema.ts'

/** Kind of failure of the VPN. `token` and `address` name the member of the link that is wrong; `version` is one that is too old. */
export type VpnFailureKind = 'address' | 'token' | 'version' | 'away' | 'busy'

/** The VPN cannot be used. The message says what is wrong and what to do, and holds no secret. */
export class VpnFailed extends Error {
  override readonly name = 'VpnFailed'
  readonly kind: VpnFailureKind
  /** Milliseconds after which the VPN takes requests again, when it says so. */
  readonly retryAfterMs: number | undefined

  constructor(kind: VpnFailureKind, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs
  }
}

/** What the VPN says about its interfaces. */
export interface TunnelReading {
  readonly tunnels: Tunnel[]
  /** Addresses of the VPN's own host in them. */
  readonly hostAddresses: string[]
}

/** A record as the VPN has it. */
export interface KeptRecord extends NameRecord {
  readonly overridden: boolean
}

/** Result of a change of records. */
export interface RecordReport {
  /** Why records were not written, by their keys. */
  readonly refused: ReadonlyMap<string, string>
  /** Names written for which an operator of the VPN has addresses. */
  readonly overridden: readonly string[]
}

const timeoutMs = 10_000
const maxBytes = 8 * 1024 * 1024
const maxWait = 600_000

const Health = z.object({ data: z.object({ app: z.literal('Hearth VPN') }) })
const Failure = z.object({ message: z.string() })
const Interfaces = z.object({
  data: z
    .array(
      z.object({
        name: z.string().max(64),
        address: z.string().max(64),
        address6: z.string().max(64).nullable(),
        nat: z.boolean(),
        enabled: z.boolean(),
        node: z.unknown().optional(),
      }),
    )
    .max(100),
  total: z.int(),
})
const key = { name: z.string().max(255), type: z.enum(['A', 'AAAA']), value: z.string().max(64) }
const Kept = z.object({
  data: z.object({ records: z.array(z.object({ ...key, overridden: z.boolean() })).max(20_000) }),
})
const Report = z.object({
  data: z.object({
    put: z.int(),
    removed: z.int(),
    refused: z.array(z.object({ ...key, message: z.string() })).max(1000),
    overridden: z.array(z.string()).max(1000),
  }),
})
const Cleared = z.object({ data: z.object({ removed: z.int() }) })

/** A Hearth VPN and the token for it. */
export interface VpnAccess {
  readonly address: string
  readonly token: string
  /** Name under which records are kept. */
  readonly manager: string
}

/** Client of the API of a Hearth VPN. Throws `VpnFailed`. */
export class VpnClient {
  readonly #access: VpnAccess
  readonly #fetch: GuardedFetch

  constructor(access: VpnAccess, fetch: GuardedFetch) {
    this.#access = access
    this.#fetch = fetch
  }

  /** Checks that a Hearth VPN is there, that the token may change records, and returns its interfaces. */
  async check(): Promise<TunnelReading> {
    const health = await this.#send('/health', {})
    if (health.status !== 200 || !Health.safeParse(jsonOf(health)).success)
      throw new VpnFailed('address', 'Something answers there, but it is not a Hearth VPN. Check host and port.')
    const reading = await this.tunnels()
    await this.change({ put: [], remove: [] })
    return reading
  }

  /** Reads the enabled interfaces of the VPN. An answer with a network that cannot be one counts as none at all. */
  async tunnels(): Promise<TunnelReading> {
    const { data, total } = await this.#call('/api/interfaces?limit=100', Interfaces)
    if (total > data.length) throw new VpnFailed('away', 'The VPN has more than 100 interfaces, which are not read.')
    const enabled = data.filter((one) => one.enabled)
    const tunnels = enabled.map(({ name, address, address6, nat }) => ({
      name,
      networks: [address, ...(address6 === null ? [] : [address6])].map((text) => {
        const network = networkOf(text)
        if (network === undefined) throw unreadable()
        return network
      }),
      masquerades: nat,
    }))
    const here = enabled.filter(({ node }) => node === null || node === undefined)
    const hostAddresses = here.flatMap(({ address, address6 }) =>
      [address, address6].flatMap((text) => text?.split('/')[0] ?? []),
    )
    return { tunnels, hostAddresses }
  }

  async records(): Promise<KeptRecord[]> {
    return (await this.#call(this.#recordsPath, Kept)).data.records
  }

  async change({ put, remove }: RecordBatch): Promise<RecordReport> {
    const body = JSON.stringify({ put, remove })
    const { data } = await this.#call(this.#recordsPath, Report, { method: 'POST', body })
    return {
      refused: new Map(data.refused.map((one) => [recordKey(one), one.message])),
      overridden: data.overridden,
    }
  }

  /** Removes all records of this service and returns their number. */
  async clear(): Promise<number> {
    return (await this.#call(this.#recordsPath, Cleared, { method: 'DELETE' })).data.removed
  }

  get #recordsPath(): string {
    return `/api/dns/managed-records/${this.#access.manager}`
  }

  async #call<T>(
    path: string,
    schema: z.ZodType<T>,
    request: { method?: 'POST' | 'DELETE'; body?: string } = {},
  ): Promise<T> {
    const answer = await this.#send(path, { ...request, authorization: `Bearer ${this.#access.token}` })
    if (answer.status !== 200) throw failureOf(answer)
    const { data, success } = schema.safeParse(jsonOf(answer))
    if (!success) throw unreadable()
    return data
  }

  async #send(
    path: string,
    {
      method = 'GET',
      body,
      authorization,
    }: { method?: 'GET' | 'POST' | 'DELETE'; body?: string; authorization?: string },
  ): Promise<GuardedAnswer> {
    const headers = {
      accept: 'application/json',
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    try {
      const content = body === undefined ? {} : { body }
      return await this.#fetch(`${this.#access.address}${path}`, { method, headers, ...content, timeoutMs, maxBytes })
    } catch (cause) {
      if (cause instanceof OutboundFailed) throw new VpnFailed('away', `The VPN is away: ${cause.message}.`, { cause })
      if (!(cause instanceof OutboundRefused)) throw cause
      const advice = 'Other services at private addresses are named in the setting OUTBOUND_ALLOW.'
      throw new VpnFailed('address', `The VPN may not be reached: ${cause.message}. ${advice}`, { cause })
    }
  }
}

const unreadable = () => new VpnFailed('away', 'The VPN gives an answer that cannot be read. Check its version.')

function failureOf(answer: GuardedAnswer): VpnFailed {
  const { status, headers } = answer
  const words = Failure.safeParse(jsonOf(answer))
    .data?.message.slice(0, 200)
    .replaceAll(/\p{Cc}/gu, ' ')
  const said = words === undefined ? `status ${status}` : words.replace(/\.$/, '')
  if (status === 401)
    return new VpnFailed('token', 'The VPN does not know the token: it is wrong, has expired or was revoked.')
  if (status === 403 && said.includes('read-only'))
    return new VpnFailed('token', 'The token is read-only. Records need one with the permissions `full`.')
  if (status === 403) return new VpnFailed('token', `The VPN refuses the token: ${said}.`)
  if (status === 404 || status === 405)
    return new VpnFailed('version', 'This Hearth VPN is too old to keep records for sites. Update it.')
  if (status !== 429) return new VpnFailed('away', `The VPN has a problem: ${said}.`)
  const seconds = Number(headers.get('retry-after') ?? 'none')
  const retryAfterMs = Number.isFinite(seconds) ? Math.min(Math.max(0, seconds) * 1000, maxWait) : 60_000
  return new VpnFailed('busy', 'The VPN takes no more requests for a moment.', { retryAfterMs })
}

const jsonOf = ({ body }: GuardedAnswer): unknown => parseJson(Buffer.from(body).toString('utf8'))
