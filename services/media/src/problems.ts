import { AccountError } from '@hearth/accounts'
import { Fault, type ErrorAnswer, type FaultReason } from '@hearth/http'
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

/** A value that cannot be, or a thing that cannot be done now; the detail says which and why. */
export const invalid = (detail: string, error?: string) =>
  new Problem(400, detail, error === undefined ? {} : { more: { error } })

export const unauthenticated = (detail = 'Sign in first') => new Problem(401, detail)
export const forbidden = (detail: string) => new Problem(403, detail)
export const notFound = (what: string) => new Problem(404, `There is no such ${what}`)
export const conflict = (detail: string) => new Problem(409, detail)
export const tooLarge = (detail: string) => new Problem(413, detail)
export const unavailable = (detail: string, retryAfterSeconds?: number) =>
  new Problem(
    503,
    detail,
    retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } },
  )

/** What stands behind the service did not do its part. */
export const upstream = (detail: string, cause?: unknown) => new Problem(502, detail, { cause })

export const waitedTooLong = (detail: string) => new Problem(504, detail)

/** The same media is under way or done already. */
export const duplicateJob = (existing_job: Job) => new Problem(409, 'duplicate_job', { more: { existing_job } })

/** Turns whatever was thrown into an answer. What nobody planned for becomes a 500 without detail. */
export function toError(error: unknown): ErrorAnswer {
  if (error instanceof Problem) {
    const body: ErrorBody = { detail: error.message, ...error.more }
    return { status: error.status, body, headers: error.headers, isForeseen: true }
  }
  if (error instanceof Fault) return toError(problemOfFault(error.reason))
  if (error instanceof AccountError) return toError(problemOfAccountError(error))
  return { status: 500, body: { detail: 'Something went wrong on the server; its log says more' } satisfies ErrorBody }
}

function problemOfFault(reason: FaultReason): Problem {
  switch (reason.kind) {
    case 'invalid': {
      const [first] = reason.fields
      const where = first === undefined || first.path === '' ? 'The body' : first.path
      return invalid(`${where} ${first?.message ?? 'is not valid'}`)
    }
    case 'unauthenticated':
      return unauthenticated()
    case 'forbidden':
      return forbidden(reason.reason ?? 'Not allowed')
    case 'not-found':
      return notFound('address')
    case 'method-not-allowed':
      return new Problem(405, `Only ${reason.allowed.join(', ')} here`, {
        headers: { allow: reason.allowed.join(', ') },
      })
    case 'rate-limited':
      return new Problem(429, `Too many requests; try again in ${reason.retryAfterSeconds} s`, {
        headers: { 'retry-after': String(reason.retryAfterSeconds) },
      })
    case 'too-large':
      return tooLarge('The body is too large')
    case 'unsupported-media-type':
      return new Problem(415, 'The body is of another type than this route takes')
    case 'malformed':
      return invalid(reason.detail ?? 'The request is malformed')
  }
}

function problemOfAccountError({ message, reason }: AccountError): Problem {
  switch (reason.kind) {
    case 'wrong-credentials':
      return unauthenticated(message)
    case 'rate-limited':
      return new Problem(429, message, { headers: { 'retry-after': String(reason.retryAfterSeconds) } })
    case 'too-many-tokens':
    case 'last-administrator':
      return conflict(message)
    case 'invalid-password':
      return invalid(message)
  }
}
