import type { GuardedStream, OpenGuarded } from '@hearth/outbound'
import { oneLine, outcomeOfError, type Outcome } from './outcome.ts'

/** A message as an HTTP server gets it. */
export interface JsonPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a post needs besides the message. */
export interface PostContext {
  readonly open: OpenGuarded
  readonly timeoutMs: number
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Statuses of the 4xx class that may end differently later. */
const passing = new Set([408, 425, 429])
const maxErrorBytes = 4096

/** Sends JSON. The status decides; an answer of the 2xx class counts even when its body is cut. Redirects are not followed. */
export async function postJson({ url, headers, body }: JsonPost, context: PostContext): Promise<Outcome> {
  const host = new URL(url).host
  const { open, timeoutMs, signal } = context
  try {
    const all = { 'content-type': 'application/json', ...headers }
    await using stream = await open(url, {
      method: 'POST',
      headers: all,
      body,
      timeoutMs,
      signal,
      maxBytes: maxErrorBytes,
    })
    return await outcomeOf(stream, host, context.now())
  } catch (error) {
    return outcomeOfError(error, host)
  }
}

async function outcomeOf(stream: GuardedStream, host: string, now: number): Promise<Outcome> {
  const { status, headers } = stream
  if (status >= 200 && status < 300) return { kind: 'delivered', detail: `${host} answered ${status}` }
  if (status >= 300 && status < 400)
    return { kind: 'refused', detail: `${host} answered ${status}, a redirect${targetOf(headers.get('location'))}` }
  const reason = await readReason(stream)
  const detail = `${host} answered ${status}${reason === '' ? '' : `: ${reason}`}`
  if (status >= 400 && status < 500 && !passing.has(status)) return { kind: 'refused', detail }
  return { kind: 'failed', detail, retryAfterMs: readRetryAfter(headers.get('retry-after'), now) }
}

/** Names the host alone, because the rest of an address may hold a secret. */
function targetOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? ` to ${new URL(location).host}` : ''
}

/** Reads the sentence that ntfy and Gotify give with an error. */
async function readReason({ body }: GuardedStream): Promise<string> {
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    const answer: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const { errorDescription, error } = answer as Record<string, unknown>
    return oneLine([errorDescription, error].find((text) => typeof text === 'string') ?? '')
  } catch {
    return ''
  }
}

/** Reads `Retry-After`, seconds or a date, as milliseconds from now; undefined when it is neither. */
export function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
