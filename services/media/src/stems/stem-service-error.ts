/** Reason why the stem service did not do what it was asked for. */
export type StemFailure =
  /** It does not know the key (401, 403). */
  | 'invalid-key'
  /** The key is good, but its plan does not include this use. */
  | 'plan'
  | 'unreachable'
  | 'timeout'
  /** It answered something that makes no sense, or that it is broken. */
  | 'upstream'
  /** The uploaded file, the task or its result is gone: it keeps everything for 24 hours. */
  | 'expired'
  | 'out-of-minutes'
  | 'exceeded-duration'
  | 'exceeded-size'
  | 'rate-limited'
  /** It says that the paid work has begun, and does not say under which number, so that its result cannot be had. */
  | 'already-started'
  /** Somebody cancelled the task there. */
  | 'cancelled'
  /** It tried, and could not separate this audio. */
  | 'failed'

const texts: Record<StemFailure, string> = {
  'invalid-key': 'the stem service does not accept the activation key',
  plan: 'the plan of the activation key does not include this use of the stem service',
  unreachable: 'the stem service cannot be reached',
  timeout: 'the stem service did not answer in time',
  upstream: 'the stem service gave an answer that cannot be used',
  expired: 'the stem service has removed the file or its result',
  'out-of-minutes': 'the stem service has too few minutes left for this audio',
  'exceeded-duration': 'the audio is too long for the stem service',
  'exceeded-size': 'the audio file is too large for the stem service',
  'rate-limited': 'the stem service was asked too often',
  'already-started': 'the stem service has begun this separation before, and its result can no longer be found',
  cancelled: 'the separation was cancelled at the stem service',
  failed: 'the stem service could not separate this audio',
}

/** Facts about a failure beside its kind. The key is removed from texts of the service. */
export interface StemFailureFacts {
  /** HTTP status, when there was an answer. */
  readonly status?: number | undefined
  /** The service's own code, such as `internal_error`. */
  readonly code?: string | undefined
  /** Detail for the log, at most 200 characters. */
  readonly detail?: string | undefined
  /** The service's number of the request (`x-request-id`), which its support asks for. */
  readonly requestId?: string | undefined
  /** Trying the same again would end the same. */
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
