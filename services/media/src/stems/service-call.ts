import { parseJson, type Timers } from '@hearth/runtime'
import type { z } from 'zod'
import { cleanText, errorOfRefusal, StemServiceError } from './stem-service-error.ts'

/** Limits of calls to the service unless others are given. */
export const defaultLimits = {
  /** Milliseconds a call without a file may take. */
  callMs: 20_000,
  /** Milliseconds during which a file may stand still on its way; also how long the service may check an upload. */
  stallMs: 60_000,
  /** Bytes of an answer. */
  answerBytes: 4 * 1024 * 1024,
}

/** Limits of calls to the service: time and size. */
export type StemLimits = Readonly<typeof defaultLimits>

/** Dependencies of every call to the service. */
export interface ServiceLink {
  readonly baseUrl: string
  readonly fetch: typeof fetch
  readonly timers: Timers
  readonly limits: StemLimits
}

/** One call; all of them are POST. */
export interface ServiceCall<T> {
  /** Below the base address, beginning and ending with a slash. */
  readonly path: string
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | AsyncIterable<Uint8Array> | undefined
  /** Schema of a good answer. */
  readonly answer: z.ZodType<T>
  readonly limit: TimeLimit
}

/**
 * Calls the service and returns its checked answer. Throws a `StemServiceError`, or the reason of the caller's signal. A
 * redirect is never followed: the key would go with it.
 */
export async function callService<T>(link: ServiceLink, call: ServiceCall<T>): Promise<T> {
  assertUsableKey(call.key)
  const { signal } = call.limit
  signal.throwIfAborted()
  try {
    const response = await link.fetch(`${link.baseUrl}${call.path}`, requestOf(call))
    const text = await readText(response, link.limits.answerBytes)
    return readAnswer(call, { status: response.status, text, requestId: requestIdOf(response, call.key) })
  } catch (error) {
    throw failureOf(error, signal)
  }
}

function requestOf<T>(call: ServiceCall<T>): RequestInit {
  return {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'user-agent': 'hearth-media',
      'x-license-key': call.key,
      ...(typeof call.body === 'string' ? { 'content-type': 'application/json' } : {}),
      ...call.headers,
    },
    ...(call.body === undefined ? {} : { body: call.body, duplex: 'half' }),
    redirect: 'manual',
    signal: call.limit.signal,
  }
}

function readAnswer<T>(
  call: ServiceCall<T>,
  { status, text, requestId }: { status: number; text: string; requestId: string | undefined },
): T {
  if (status !== 200) throw errorOfRefusal({ status, path: call.path, text, requestId, key: call.key })
  const parsed = call.answer.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const detail = cleanText(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not JSON'}`, call.key)
  throw new StemServiceError('upstream', { status, detail, requestId })
}

function requestIdOf(response: Response, key: string): string | undefined {
  const id = response.headers.get('x-request-id')
  return id !== null && /^[\w-]{1,64}$/.test(id) && id !== key ? id : undefined
}

async function readText(response: Response, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > limit) throw new StemServiceError('upstream', { status: response.status, detail: 'a too long answer' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Refuses a key that cannot stand in a header, before an error of the HTTP client repeats it. */
function assertUsableKey(key: string): void {
  if (!/^[\x21-\x7e]{1,1024}$/.test(key)) throw new StemServiceError('invalid-key', { detail: 'not a usable key' })
}

/**
 * Returns the error for something that went wrong on the way. Errors of the HTTP client are replaced and not kept as `cause`,
 * because nobody promises what they hold.
 */
export function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof StemServiceError) return error
  if (signal.aborted) return signal.reason
  return new StemServiceError('unreachable', { detail: codeOf(error) ?? codeOf((error as Error | undefined)?.cause) })
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : undefined
}

/** A limit on how long nothing may happen. */
export type TimeLimit = ReturnType<typeof startTimeLimit>

/** Starts a limit in milliseconds on top of the caller's signal. */
export function startTimeLimit(timers: Timers, ms: number, outer?: AbortSignal) {
  const controller = new AbortController()
  const expire = () => controller.abort(new StemServiceError('timeout'))
  let cancel = timers.after(ms, expire)
  const signal: AbortSignal = outer === undefined ? controller.signal : AbortSignal.any([outer, controller.signal])
  return {
    /** Aborts with `timeout` when the time is over, or with the caller's reason. */
    signal,
    /** Starts the time again, because something happened. */
    restart(): void {
      cancel()
      cancel = timers.after(ms, expire)
    },
    [Symbol.dispose]: () => cancel(),
  }
}
