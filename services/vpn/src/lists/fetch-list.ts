import { setTimeout as pause } from 'node:timers/promises'
import { type GuardedStream, type OpenGuarded, OutboundFailed, OutboundRefused } from '@hearth/outbound'
import { outboundMessage } from '../problems.ts'
import { listBounds } from './list-reader.ts'

/** Validators of a list's text from the last time, so that it need not be sent again. */
export interface KnownText {
  readonly etag: string | null
  readonly lastModified: string | null
}

/** Answer of a list's server. */
export type FetchedList =
  | { readonly kind: 'unchanged' }
  | ({ readonly kind: 'text'; readonly text: Uint8Array } & KnownText)

/** The list's server does not give a list; the message is for an administrator and holds nothing of the address but its host. */
export class ListRefused extends Error {
  override readonly name = 'ListRefused'
}

/** Time limits and pauses of a fetch. */
export interface FetchTiming {
  /** Limit for the whole fetch, milliseconds. */
  readonly totalMs: number
  /** Before each further try. */
  readonly pausesMs: readonly number[]
}

const usualTiming: FetchTiming = { totalMs: 60_000, pausesMs: [1000, 3000, 9000] }

const redirects = 3
const accepted = new Set(['text/plain', 'text/x-hosts', 'application/octet-stream'])
const maxHeaderLength = 200

/**
 * Fetches a list's text, tries again where that may help, and gives up within the total time. The address goes through the guard
 * of `@hearth/outbound`, and its name is looked up by the system's resolver: a list whose own host is blocked can be fetched.
 * Throws `ListRefused`, or the signal's reason.
 */
export async function fetchList(
  open: OpenGuarded,
  url: string,
  options: { known: KnownText; signal: AbortSignal; timing?: FetchTiming },
): Promise<FetchedList> {
  const { totalMs, pausesMs } = options.timing ?? usualTiming
  const deadline = AbortSignal.timeout(totalMs)
  const signal = AbortSignal.any([options.signal, deadline])
  for (let attempt = 0; ; attempt++) {
    try {
      return await fetchOnce(open, url, { known: options.known, signal, totalMs })
    } catch (error) {
      options.signal.throwIfAborted()
      const pauseMs = pausesMs[attempt]
      if (deadline.aborted) throw new ListRefused(`${new URL(url).hostname} did not send it in time`, { cause: error })
      if (pauseMs === undefined || !mayPass(error)) throw refusalOf(error)
      await pause(pauseMs, undefined, { signal }).catch(() => options.signal.throwIfAborted())
    }
  }
}

/** True for a busy or unreachable server, for which a retry makes sense. */
class Busy extends Error {
  override readonly name = 'Busy'
}

const mayPass = (error: unknown): boolean =>
  error instanceof Busy ||
  (error instanceof OutboundFailed && ['unresolved', 'unreachable', 'timeout'].includes(error.kind))

function refusalOf(error: unknown): unknown {
  const isOurs = error instanceof Busy || error instanceof OutboundFailed || error instanceof OutboundRefused
  return isOurs ? new ListRefused(outboundMessage(error), { cause: error }) : error
}

async function fetchOnce(
  open: OpenGuarded,
  url: string,
  { known, signal, totalMs }: { known: KnownText; signal: AbortSignal; totalMs: number },
): Promise<FetchedList> {
  const headers = {
    accept: 'text/plain, */*;q=0.1',
    ...(known.etag === null ? {} : { 'if-none-match': known.etag }),
    ...(known.lastModified === null ? {} : { 'if-modified-since': known.lastModified }),
  }
  await using answer = await open(url, { headers, redirects, timeoutMs: totalMs, maxBytes: listBounds.bytes, signal })
  const isConditional = known.etag !== null || known.lastModified !== null
  if (answer.status === 304 && isConditional) return { kind: 'unchanged' }
  checkAnswer(answer)
  const text = await readText(answer)
  checkText(text)
  return { kind: 'text', text, etag: headerOf(answer, 'etag'), lastModified: headerOf(answer, 'last-modified') }
}

function checkAnswer({ status, headers }: GuardedStream): void {
  if (status === 429 || status >= 500) throw new Busy(`its server answers with status ${status}`)
  if (status !== 200) throw new ListRefused(`its server answers with status ${status}`)
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type !== '' && !accepted.has(type))
    throw new ListRefused(
      `its server sends ${/^[\w.+/-]{1,60}$/.test(type) ? type : 'something else'}, not a text list`,
    )
}

function headerOf({ headers }: GuardedStream, name: string): string | null {
  const value = headers.get(name)
  return value === undefined || value.length > maxHeaderLength || /[^\x20-\x7e]/.test(value) ? null : value
}

/** Leaves a body early whose lines are too many. */
async function readText(answer: GuardedStream): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let lines = 0
  for await (const part of answer.body) {
    for (let at = 0; at < part.length; at++) if (part[at] === 10) lines++
    if (lines > listBounds.lines) throw new ListRefused(`it has more than ${listBounds.lines} lines`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Recognizes pages and packed files by their first bytes, whatever type they are sent as. */
function checkText(text: Uint8Array): void {
  const head = new TextDecoder('latin1').decode(text.slice(0, 1024))
  if (/^(\u00ef\u00bb\u00bf)?\s*<(!doctype|html|\?xml|head|body)/i.test(head))
    throw new ListRefused('its server sends a web page, not a text list')
  if (head.includes('\0') || head.startsWith('\u001f\u008b')) throw new ListRefused('it is not a text')
}

/** Reads how long a list says it is good for, from its header (`! Expires: 4 hours`), seconds; null when it does not say. */
export function expiryOf(text: Uint8Array): number | null {
  const head = new TextDecoder().decode(text.slice(0, 8192))
  const [, count, unit] = /^[!#][ \t]*expires:[ \t]*(\d{1,4})[ \t]*(d|h|minutes?)/im.exec(head) ?? []
  if (count === undefined || unit === undefined) return null
  return Number(count) * (unit.toLowerCase() === 'd' ? 86_400 : unit.toLowerCase() === 'h' ? 3600 : 60)
}
