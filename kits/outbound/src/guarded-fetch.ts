import type { Dispatcher } from 'undici'
import { OutboundFailed, OutboundRefused } from './outbound-error.ts'
import { pinnedLookup, type Destination, type OutboundPolicy } from './outbound-policy.ts'
import { readBody } from './read-body.ts'

/** Options of a request. */
export interface GuardedRequest {
  /** GET when missing. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /**
   * Maximum number of redirects of a GET or HEAD that are followed; 0 by default. With none the redirect itself is the answer, with too many the
   * request fails.
   */
  readonly redirects?: number
  /** Time for everything together, milliseconds; 15 000. */
  readonly timeoutMs?: number
  /** Largest body, bytes before and after decompression; 2 MiB. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal | undefined
}

/** An answer whose body is still on its way. Must be disposed of; that ends the connection. */
export interface GuardedStream extends AsyncDisposable {
  readonly status: number
  /** By lower-case name; several lines of one name joined by a comma. */
  readonly headers: ReadonlyMap<string, string>
  /** Address that the answer came from, after redirects. */
  readonly url: string
  /** Decompressed, within the limit of the request. */
  readonly body: AsyncIterable<Uint8Array>
}

/** An answer that was read. */
export interface GuardedAnswer {
  readonly status: number
  /** By lower-case name; several lines of one name joined by a comma. */
  readonly headers: ReadonlyMap<string, string>
  readonly url: string
  /** Decompressed. */
  readonly body: Uint8Array
}

/**
 * Sends a request and reads the whole answer, whatever its status. Throws `OutboundRefused`, `OutboundFailed` or the reason of
 * the request's signal.
 */
export type GuardedFetch = (url: string | URL, request?: GuardedRequest) => Promise<GuardedAnswer>

/** As `GuardedFetch`, but answers as soon as the head of the answer is there. */
export type OpenGuarded = (url: string | URL, request?: GuardedRequest) => Promise<GuardedStream>

const defaults = { method: 'GET', headers: {}, redirects: 0, timeoutMs: 15_000, maxBytes: 2 * 1024 * 1024 } as const
const ownHeaders = { 'user-agent': 'Hearth', 'accept-encoding': 'gzip, br' }
const privateHeaders = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** A fetch that connects only where the policy allows: each redirect is checked and connects to the checked address. */
export function createGuardedFetch(policy: OutboundPolicy): GuardedFetch {
  const open = createOpenGuarded(policy)
  return async (url, request) => {
    await using stream = await open(url, request)
    const chunks: Uint8Array[] = []
    for await (const chunk of stream.body) chunks.push(chunk)
    return { status: stream.status, headers: stream.headers, url: stream.url, body: Buffer.concat(chunks) }
  }
}

/** Creates a fetch for bodies that are too large to keep: the body is a stream. */
export function createOpenGuarded(policy: OutboundPolicy): OpenGuarded {
  return async (url, request = {}) => {
    const first = new URL(url)
    const { timeoutMs, signal, ...rest } = { ...defaults, ...request }
    const headers = Object.entries(rest.headers).map(([name, value]) => [name.toLowerCase(), value])
    const deadline = startDeadline({ host: first.hostname, ms: timeoutMs, signal })
    try {
      const stream = await follow(policy, {
        ...rest,
        headers: Object.fromEntries(headers),
        url: first,
        signal: deadline.signal,
      })
      const end = async () => {
        deadline.clear()
        await stream[Symbol.asyncDispose]()
      }
      return { ...stream, [Symbol.asyncDispose]: end }
    } catch (error) {
      deadline.clear()
      throw error
    }
  }
}

/** One request in progress, with all options resolved. */
interface Hop {
  readonly url: URL
  readonly method: NonNullable<GuardedRequest['method']>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly maxBytes: number
  readonly redirects: number
  readonly signal: AbortSignal
}

async function follow(policy: OutboundPolicy, start: Hop): Promise<GuardedStream> {
  let hop = start
  let cameFrom: URL | undefined
  for (let left = start.redirects; ; left -= 1) {
    const destination = await destinationOf(policy, hop)
    const isDowngrade = cameFrom?.protocol === 'https:' && hop.url.protocol === 'http:'
    if (isDowngrade && !destination.isExempt) throw new OutboundRefused('downgrade', destination.host, destination.port)
    const stream = await send(hop, destination)
    const location = start.redirects > 0 ? redirectOf(hop, stream) : undefined
    if (location === undefined) return stream
    await stream[Symbol.asyncDispose]()
    if (left === 0) throw new OutboundFailed('too-many-redirects', destination.host)
    cameFrom = hop.url
    hop = nextHop(hop, location)
  }
}

async function destinationOf(policy: OutboundPolicy, { url, signal }: Hop): Promise<Destination> {
  const { protocol, hostname } = url
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (protocol !== 'https:' && protocol !== 'http:') throw new OutboundRefused('scheme', hostname, port)
  if (url.username !== '' || url.password !== '') throw new OutboundRefused('credentials', hostname, port)
  return policy.resolve(hostname, port, signal)
}

function redirectOf({ method }: Hop, { status, headers }: GuardedStream): string | undefined {
  const isFollowed = (method === 'GET' || method === 'HEAD') && [301, 302, 303, 307, 308].includes(status)
  return isFollowed ? headers.get('location') : undefined
}

/** Headers with secrets go to the server they are meant for and to no other. */
function nextHop(hop: Hop, location: string): Hop {
  if (!URL.canParse(location, hop.url)) throw new OutboundFailed('unreadable-answer', hop.url.hostname)
  const url = new URL(location, hop.url)
  const isSameOrigin = url.origin === hop.url.origin
  const headers = Object.entries(hop.headers).filter(([name]) => isSameOrigin || !privateHeaders.has(name))
  return { ...hop, url, headers: Object.fromEntries(headers) }
}

/** A connection for this request only: a reused one could belong to a name that was checked at another time. */
async function send(hop: Hop, destination: Destination): Promise<GuardedStream> {
  const { url, method, signal } = hop
  // Loaded at the first request, because most processes never send one.
  const { Client } = await import('undici')
  const lookup = pinnedLookup(destination)
  const client = new Client(url.origin, { connect: { lookup, timeout: 10_000 } as object, allowH2: false })
  const end = () => client.destroy()
  try {
    const path = `${url.pathname}${url.search}`
    const headers = { ...ownHeaders, ...hop.headers }
    const answer = await client.request({ path, method, headers, body: hop.body ?? null, signal, idempotent: false })
    // Ignores the error that destroying an unfinished body emits.
    answer.body.on('error', () => undefined)
    return {
      status: answer.statusCode,
      headers: headersOf(answer),
      url: url.href,
      body: bodyOf(hop, answer),
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw failureOf(error, hop)
  }
}

function headersOf({ headers }: Dispatcher.ResponseData): ReadonlyMap<string, string> {
  const lines = Object.entries(headers).filter(([, value]) => value !== undefined)
  return new Map(
    lines.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : `${value}`]),
  )
}

async function* bodyOf(hop: Hop, answer: Dispatcher.ResponseData): AsyncGenerator<Uint8Array> {
  const encoding = hop.method === 'HEAD' ? undefined : headersOf(answer).get('content-encoding')
  try {
    yield* readBody(answer.body, { host: hop.url.hostname, maxBytes: hop.maxBytes, encoding })
  } catch (error) {
    throw failureOf(error, hop)
  }
}

function failureOf(error: unknown, { url, signal }: Hop): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof OutboundRefused || error instanceof OutboundFailed) return error
  return new OutboundFailed('unreachable', url.hostname, { cause: error })
}

/** One signal for the timeout of an exchange and the abort signal of its caller. */
interface Deadline {
  readonly signal: AbortSignal
  /** Frees the timer; the signal stays as it is. */
  clear(): void
}

/** @param options the host is for the error (`OutboundFailed`, `timeout`) the signal is aborted with */
function startDeadline(options: { host: string; ms: number; signal: AbortSignal | undefined }): Deadline {
  const { host, ms, signal: given } = options
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new OutboundFailed('timeout', host)), ms)
  const onAbort = () => controller.abort(given?.reason)
  if (given?.aborted === true) onAbort()
  else given?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      given?.removeEventListener('abort', onAbort)
    },
  }
}
