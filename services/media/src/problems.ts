import { AccountError, PasskeyError } from '@hearth/accounts'
import { isDiskFull } from '@hearth/database'
import { HttpError, type ErrorAnswer } from '@hearth/http'
import { NotificationError } from '@hearth/notifications'
import { z } from 'zod'
import { Job } from './jobs/schema.ts'

/** The body of every error. A duplicate adds the existing job. */
export const ErrorBody = z
  .object({
    detail: z.string().meta({ description: 'What is wrong, for a person; `duplicate_job` for a duplicate' }),
    existing_job: Job.optional(),
    error: z.string().optional().meta({ description: 'Stable code of a reason, where there is one' }),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>

/** An answer other than success, thrown by the features. The detail is for the caller and names the offending part. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly more: Omit<ErrorBody, 'detail'>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    detail: string,
    options: { more?: Omit<ErrorBody, 'detail'>; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause })
    this.status = status
    this.more = options.more ?? {}
    this.headers = options.headers ?? {}
  }
}

/** An invalid value, or an action that is not possible now; the detail says which and why. */
export const invalid = (detail: string, error?: string) =>
  new Problem(400, detail, error === undefined ? {} : { more: { error } })

export const unauthenticated = (detail = 'Sign in first', error?: string) =>
  new Problem(401, detail, error === undefined ? {} : { more: { error } })
/** 403: the caller may not do that. */
export const forbidden = (detail: string) => new Problem(403, detail)
/** 404: `what` does not exist. */
export const notFound = (what: string) => new Problem(404, `There is no such ${what}`)
/** 409: the state of the resource does not allow the request. */
export const conflict = (detail: string, error?: string) =>
  new Problem(409, detail, error === undefined ? {} : { more: { error } })
/** 409: passkeys, recovery codes and tokens need an account. */
export const signInOff = () => conflict('Sign-in is off; turn it on in the settings first', 'sign_in_off')
/** 413: the body is too large. */
export const tooLarge = (detail: string) => new Problem(413, detail)
/** 429: the caller must wait for `seconds`. */
export const tooMany = (detail: string, seconds: number) =>
  new Problem(429, detail, { headers: { 'retry-after': String(seconds) } })
/** 503: the request may succeed later. */
export const unavailable = (detail: string, retryAfterSeconds?: number) =>
  new Problem(
    503,
    detail,
    retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } },
  )

/** A service that this one depends on failed. */
export const upstream = (detail: string, cause?: unknown) => new Problem(502, detail, { cause })

/** 504: a service that this one depends on did not answer in time. */
export const waitedTooLong = (detail: string) => new Problem(504, detail)

/** 409: the same media is running or done already. */
export const duplicateJob = (existing_job: Job) => new Problem(409, 'duplicate_job', { more: { existing_job } })

/** Turns a thrown value into an answer. An unexpected error becomes a 500 without detail. */
export function toError(error: unknown): ErrorAnswer {
  if (error instanceof Problem) {
    const body: ErrorBody = { detail: error.message, ...error.more }
    return { status: error.status, body, headers: error.headers, isExpected: true }
  }
  if (error instanceof HttpError) return toError(problemOfHttpError(error))
  if (error instanceof AccountError) return toError(problemOfAccountError(error))
  if (error instanceof PasskeyError) return toError(problemOfPasskeyError(error))
  if (error instanceof NotificationError) return toError(problemOfNotificationError(error))
  if (isDiskFull(error)) return toError(unavailable('The disk is full; make room and try again'))
  return { status: 500, body: { detail: 'Something went wrong on the server; its log says more' } satisfies ErrorBody }
}

function problemOfHttpError({ message, reason }: HttpError): Problem {
  switch (reason.kind) {
    case 'invalid':
    case 'malformed':
      return invalid(message)
    case 'unauthenticated':
      return unauthenticated()
    case 'forbidden':
      return forbidden(message)
    case 'not-found':
      return notFound('address')
    case 'method-not-allowed':
      return new Problem(405, message, { headers: { allow: reason.allowed.join(', ') } })
    case 'rate-limited':
      return tooMany(`Too many requests; try again in ${reason.retryAfterSeconds} s`, reason.retryAfterSeconds)
    case 'too-large':
      return tooLarge('The body is too large')
    case 'unsupported-media-type':
      return new Problem(415, 'The body is of another type than this route takes')
  }
}

function problemOfNotificationError({ message, reason }: NotificationError): Problem {
  switch (reason.kind) {
    case 'not-found':
      return notFound(reason.what)
    case 'invalid':
      return invalid(message)
    case 'too-many-destinations':
      return conflict(message)
  }
}

/** The one account has no role, so four reasons are left. */
function problemOfAccountError({ message, reason }: AccountError): Problem {
  if (reason.kind === 'invalid-password') return invalid(message, reason.code)
  if (reason.kind === 'too-many-tokens') return conflict(message)
  return reason.kind === 'rate-limited' ? tooMany(message, reason.retryAfterSeconds) : unauthenticated(message)
}

function problemOfPasskeyError({ message, reason }: PasskeyError): Problem {
  switch (reason.kind) {
    case 'not-found':
      return notFound('passkey')
    case 'invalid-registration':
      return invalid(message, 'passkey_invalid')
    case 'unknown-challenge':
      return invalid(message, 'challenge')
    case 'too-many-challenges':
      return unavailable(message, reason.retryAfterSeconds)
    case 'already-registered':
      return conflict(message, 'passkey_known')
    case 'wrong-address':
      return conflict(message, 'passkeys_unavailable')
    case 'too-many-passkeys':
    case 'last-sign-in-method':
      return conflict(message)
    case 'sign-in-failed':
      return unauthenticated(message, reason.isUnknown === true ? 'unknown_passkey' : undefined)
  }
}
