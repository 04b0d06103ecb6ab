import { parseJson } from '@hearth/runtime'
import { z } from 'zod'

/** Failures of requests to the stem service, with their messages. */
const texts = {
  /** It does not know the key (401, 403). */
  'invalid-key': 'the stem service does not accept the activation key',
  /** The key is valid, but its plan does not include this use. */
  plan: 'the plan of the activation key does not include this use of the stem service',
  unreachable: 'the stem service cannot be reached',
  timeout: 'the stem service did not answer in time',
  /** Its answer was invalid, or an internal error. */
  upstream: 'the stem service gave an answer that cannot be used',
  /** The uploaded file, the task or its result is gone: it keeps everything for 24 hours. */
  expired: 'the stem service has removed the file or its result',
  'out-of-minutes': 'the stem service has too few minutes left for this audio',
  'exceeded-duration': 'the audio is too long for the stem service',
  'exceeded-size': 'the audio file is too large for the stem service',
  'rate-limited': 'the stem service received too many requests',
  /** It says that the paid work has begun, but not under which number, so that its result cannot be fetched. */
  'already-started': 'the stem service has begun this separation before, and its result can no longer be found',
  /** The task was cancelled at the service. */
  cancelled: 'the separation was cancelled at the stem service',
  /** It could not separate this audio. */
  failed: 'the stem service could not separate this audio',
}

/** Reason why a request to the stem service failed. */
export type StemFailure = keyof typeof texts

/** Facts about a failure beside its kind. The key is removed from texts of the service. */
export interface StemFailureFacts {
  /** HTTP status, when there was an answer. */
  readonly status?: number | undefined
  /** The service's own code, such as `internal_error`. */
  readonly code?: string | undefined
  /** Detail for the log, at most 200 characters. */
  readonly detail?: string | undefined
  /** The service's number of the request (`x-request-id`), for its support. */
  readonly requestId?: string | undefined
  /** Retrying would fail in the same way. */
  readonly isLasting?: boolean
}

/** A failure of the stem service. Neither its message nor a member of it holds the key, and it carries no `cause`. */
export class StemServiceError extends Error {
  override readonly name = 'StemServiceError'
  readonly kind: StemFailure
  readonly status: number | undefined
  readonly code: string | undefined
  readonly detail: string | undefined
  readonly requestId: string | undefined
  readonly isLasting: boolean

  constructor(kind: StemFailure, facts: StemFailureFacts = {}) {
    super(texts[kind])
    this.kind = kind
    this.status = facts.status
    this.code = facts.code
    this.detail = facts.detail
    this.requestId = facts.requestId
    this.isLasting = facts.isLasting ?? false
  }
}

/** Returns true if the same call may go well a little later. A refusal of the request itself stays one. */
export function isPassing(error: unknown): error is StemServiceError {
  if (!(error instanceof StemServiceError) || error.isLasting) return false
  if (error.kind !== 'upstream') return ['unreachable', 'timeout', 'rate-limited'].includes(error.kind)
  const { status, code } = error
  return code === 'internal_error' || status === undefined || status < 400 || status >= 500
}

/** A text of the service made fit for a log: one short line without the key. */
export function cleanText(text: string, key: string): string {
  const withoutKey = key === '' ? text : text.replaceAll(key, '[key]')
  return withoutKey
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
}

/** A refusal: `detail` is a text, or a list when a member of the request was wrong; business errors have a `code`. */
const RefusalAnswer = z.object({ detail: z.unknown().optional(), code: z.string().nullish() })

const codes: Readonly<Record<string, StemFailure>> = {
  idempotency_key_used: 'already-started',
  exceeded_duration: 'out-of-minutes',
  max_duration: 'exceeded-duration',
  exceeded_size: 'exceeded-size',
  // The spelling is the service's.
  batch_not_avaliable: 'plan',
  batch_not_available: 'plan',
}

/** Returns the failure of a business code of the service; undefined when it names none of the causes a user can act on. */
export const failureOfCode = (code: string | undefined): StemFailure | undefined =>
  code === undefined || !Object.hasOwn(codes, code) ? undefined : codes[code]

/** Returns true if a text of the service, which has no code for it, says that the uploaded file is gone. */
export const speaksOfMissingFile = (text: string): boolean =>
  /deleted|expired|not found|not exist|not been uploaded|upload it again/i.test(text)

const speaksOfPlan = (text: string): boolean => /\bplans?\b|subscription|licen[cs]e|package/i.test(text)

/** An answer with a status other than 200. */
export interface Refusal {
  readonly status: number
  readonly path: string
  readonly text: string
  readonly requestId: string | undefined
  /** Taken out of every text. */
  readonly key: string
}

/** The error that an answer other than 200 stands for. */
export function errorOfRefusal(refusal: Refusal): StemServiceError {
  const { code, detail } = readRefusal(refusal.text)
  return new StemServiceError(kindOf(refusal, code, detail), {
    status: refusal.status,
    code: code === undefined ? undefined : cleanText(code, refusal.key),
    detail: cleanText(detail, refusal.key),
    requestId: refusal.requestId,
  })
}

function kindOf({ status, path }: Refusal, code: string | undefined, detail: string): StemFailure {
  if (status === 401 || status === 403) return 'invalid-key'
  if (status === 402) return 'plan'
  if (status === 413) return 'exceeded-size'
  if (status === 429) return 'rate-limited'
  if (status !== 400) return 'upstream'
  if (code !== undefined) return failureOfCode(code) ?? 'upstream'
  // Without a code only the text says why. Where nothing but the account can be wrong, it does not matter.
  if (path.includes('/limits/') || speaksOfPlan(detail)) return 'plan'
  return speaksOfMissingFile(detail) ? 'expired' : 'upstream'
}

function readRefusal(text: string): { code: string | undefined; detail: string } {
  const { detail, code } = RefusalAnswer.safeParse(parseJson(text)).data ?? {}
  return {
    code: code ?? undefined,
    detail: typeof detail === 'string' ? detail : detail === undefined ? '' : JSON.stringify(detail),
  }
}
