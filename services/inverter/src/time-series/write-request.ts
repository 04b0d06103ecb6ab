import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { OutboundFailed, OutboundRefused, type GuardedStream, type OpenGuarded } from '@hearth/outbound'
import type { TimeSeriesSettings } from './schema.ts'

/** The server and how it is spoken to. */
export interface ServerAddress extends Pick<
  TimeSeriesSettings,
  'url' | 'api' | 'organization' | 'bucket' | 'database' | 'username' | 'precision'
> {
  readonly token: string
  readonly password: string
}

/** Result of a request. Details are for a person and hold no secret. */
export type WriteResult =
  | { readonly kind: 'written' }
  /** The server refuses the points for what they are. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** The request has more points than the server takes at once. */
  | { readonly kind: 'too-large'; readonly detail: string }
  /** Worth another attempt with the same points; not before `retryAfterMs` when the server says so. */
  | { readonly kind: 'failed'; readonly detail: string; readonly retryAfterMs?: number | undefined }

/** Time for a request with its answer, milliseconds, and the part of an answer that is read. */
const timeoutMs = 20_000
const maxAnswerBytes = 65_536

/** Longest pause that a server may ask for, milliseconds. */
const maxRetryMs = 3_600_000

/** Statuses that say something about points, not about the server or the way to it. */
const refusals = new Set([400, 422])

const compress = promisify(gzip)

interface RequestContext {
  readonly open: OpenGuarded
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Writes lines in one request, compressed. Never rejects but with the reason of the signal. */
export async function writeLines(
  address: ServerAddress,
  lines: readonly string[],
  { open, now, signal }: RequestContext,
): Promise<WriteResult> {
  const url = new URL(address.url)
  try {
    await using stream = await open(writeUrl(address), {
      method: 'POST',
      headers: Object.assign(
        { 'content-type': 'text/plain; charset=utf-8', 'content-encoding': 'gzip' },
        authorizationOf(address),
      ),
      body: await compress(lines.join('\n')),
      timeoutMs,
      signal,
      maxBytes: maxAnswerBytes,
    })
    return await resultOf(stream, url.host, now())
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'failed', detail: describe(error, url.host) }
  }
}

/** Returns the address that lines are written to. */
export function writeUrl({ url, api, organization, bucket, database, precision }: ServerAddress): URL {
  const base = url.replace(/\/+$/, '')
  const target = new URL(`${base}${api === 'v2' ? '/api/v2/write' : '/write'}`)
  if (api === 'v2') {
    target.searchParams.set('org', organization)
    target.searchParams.set('bucket', bucket)
  } else if (database !== '') target.searchParams.set('db', database)
  target.searchParams.set('precision', precision)
  return target
}

function authorizationOf({ api, token, username, password }: ServerAddress): Record<string, string> {
  if (api === 'v2') return token === '' ? {} : { authorization: `Token ${token}` }
  if (username === '') return {}
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

async function resultOf(stream: GuardedStream, host: string, now: number): Promise<WriteResult> {
  const { status, headers } = stream
  if (status >= 200 && status < 300) return { kind: 'written' }
  const reason = await readReason(stream)
  const detail = `${host} answered ${status}${reason === '' ? '' : `: ${reason}`}`
  if (refusals.has(status)) return { kind: 'refused', detail }
  if (status === 413) return { kind: 'too-large', detail }
  return { kind: 'failed', detail, retryAfterMs: retryAfter(headers.get('retry-after'), now) }
}

/** Reads the reason that a server gives with an error: a JSON document, or a line of text. */
async function readReason({ body }: GuardedStream): Promise<string> {
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    return oneLine(reasonIn(text))
  } catch {
    return ''
  }
}

function reasonIn(text: string): string {
  try {
    const { message, error } = JSON.parse(text) as Record<string, unknown>
    return [message, error].find((reason) => typeof reason === 'string') ?? ''
  } catch {
    return text
  }
}

const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)

/** Reads `Retry-After`, seconds or a date, as milliseconds from now. */
function retryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), maxRetryMs)
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection',
  ECONNRESET: 'closed the connection',
  UND_ERR_SOCKET: 'closed the connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that signed itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate of an unknown authority',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
}

function describe(error: unknown, host: string): string {
  if (error instanceof OutboundRefused) return `${error.message}. OUTBOUND_ALLOW exempts a host, HOST:PORT or a network`
  for (let each = error; each instanceof Error; each = each.cause) {
    const reason = reasons[(each as { code?: string }).code ?? '']
    if (reason !== undefined) return `${host} ${reason}`
  }
  return error instanceof OutboundFailed ? error.message : `${host} cannot be reached`
}
