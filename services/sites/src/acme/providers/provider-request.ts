import { OutboundFailed, OutboundRefused, type GuardedAnswer, type GuardedRequest } from '@hearth/outbound'
import { readRetryAfter } from '../client/retry-after.ts'
import { ProviderFailed, type ProviderContext } from './provider.ts'

/** Options of a request to a provider's API. */
export interface ApiCall {
  readonly method?: GuardedRequest['method']
  /** Sent as JSON, a text as XML. */
  readonly body?: object | string | undefined
  /** Statuses beside 2xx that the caller reads. */
  readonly expected?: readonly number[]
}

/** An answer, as text and read as JSON; undefined when it is none. */
export interface ApiAnswer {
  readonly status: number
  readonly json: unknown
  readonly text: string
}

/** How a provider's API is called, and how it says what is wrong. */
export interface ApiOptions {
  /** Name of the provider in messages. */
  readonly label: string
  /** Without a slash at its end. */
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  /** The provider's own words in the body of a refusal. */
  readonly reason?: (json: unknown, text: string) => string | undefined
}

const timeoutMs = 15_000
const maxBytes = 1024 * 1024

/** Creates a function that calls a provider's API. It throws `ProviderFailed`, without anything that was sent. */
export function createApi({ label, base, headers, reason }: ApiOptions, { fetch, now }: ProviderContext) {
  return async (path: string, { method = 'GET', body, expected = [] }: ApiCall = {}): Promise<ApiAnswer> => {
    const isText = typeof body === 'string'
    const content = body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': isText ? 'text/xml' : 'application/json' }
    const all = { accept: 'application/json', ...type, ...headers }
    const answer = await sendTo(label, () =>
      fetch(`${base}${path}`, { method, headers: all, ...content, timeoutMs, maxBytes }),
    )
    const text = Buffer.from(answer.body).toString('utf8')
    const json = jsonOf(text)
    if (answer.status < 300 || expected.includes(answer.status)) return { status: answer.status, json, text }
    throw refusalOf(label, answer, { now: now(), reason: reason?.(json, text)?.slice(0, 300) })
  }
}

/** Sends a request; what the guard refuses or the network fails becomes `ProviderFailed`. */
export async function sendTo(label: string, send: () => Promise<GuardedAnswer>): Promise<GuardedAnswer> {
  try {
    return await send()
  } catch (cause) {
    if (cause instanceof OutboundFailed) throw new ProviderFailed('away', `${label}: ${cause.message}`, { cause })
    if (!(cause instanceof OutboundRefused)) throw cause
    throw new ProviderFailed('refused', `${label} may not be reached: ${cause.message}; see OUTBOUND_ALLOW`, { cause })
  }
}

/** The failure behind a status that nobody expects. */
export function refusalOf(
  label: string,
  { status, headers }: Pick<GuardedAnswer, 'status' | 'headers'>,
  { now, reason }: { readonly now: number; readonly reason: string | undefined },
): ProviderFailed {
  const words = reason === undefined || reason === '' ? `status ${status}` : `status ${status}: ${reason}`
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), now)
  if (status === 401 || status === 403)
    return new ProviderFailed('wrong-credentials', `${label} does not accept the credentials (${words})`)
  if (status === 429)
    return new ProviderFailed('rate-limited', `${label} allows no more requests for now (${words})`, { retryAfterMs })
  if (status >= 500) return new ProviderFailed('away', `${label} has a problem (${words})`, { retryAfterMs })
  return new ProviderFailed('refused', `${label} refused (${words})`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Reads an answer by its schema; an answer of another shape is a failure of the provider. */
export function readAnswer<T>(
  label: string,
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  { json }: Pick<ApiAnswer, 'json'>,
): T {
  const parsed = schema.safeParse(json)
  if (!parsed.success) throw new ProviderFailed('away', `${label} gave an answer that cannot be read`)
  return parsed.data
}

/** A name and those above it that may be zones, the longest first. */
export function zoneCandidates(name: string): string[] {
  const labels = name.split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}

/** The failure of a name that none of the provider's zones holds. */
export const noZone = (label: string, name: string): ProviderFailed =>
  new ProviderFailed('wrong-zone', `${label} has no zone that holds ${name}`)

/** A name as it stands within its zone; `apex` for the zone itself. */
export const relativeName = (name: string, zone: string, apex: string): string =>
  name === zone ? apex : name.slice(0, -zone.length - 1)

/** A setting that is sent in a header: no spaces, no control characters. */
export const headerText = /^[\x21-\x7e]+$/
