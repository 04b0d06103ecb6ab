import { AccountError } from '@hearth/accounts'
import { Fault, type ErrorAnswer, type FaultReason, type FieldIssue } from '@hearth/http'
import { QueueFull } from '@hearth/runtime'
import { z } from 'zod'

/** One thing that is wrong: a member of the body, or a site of a configuration that was refused. */
export const ErrorItem = z
  .object({
    site_id: z.int().optional(),
    field: z.string().optional(),
    message: z.string(),
    caddy_error: z.string().optional().meta({ description: 'In Caddy’s own words' }),
  })
  .meta({ id: 'ErrorItem' })
export type ErrorItem = z.infer<typeof ErrorItem>

/** What readiness hangs on; see `readiness.ts`. */
export const ReadyChecks = z
  .object({ runtime: z.boolean(), onboarding: z.boolean(), admin_api: z.boolean() })
  .meta({ id: 'ReadyChecks' })
export type ReadyChecks = z.infer<typeof ReadyChecks>

/** The body of every error. */
export const ErrorBody = z
  .object({
    detail: z.string().meta({ description: 'What is wrong, for a person' }),
    errors: z.array(ErrorItem).optional(),
    code: z.string().optional().meta({ description: 'Stable code of a reason, where there is one' }),
    checks: ReadyChecks.optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>

/** What an error answer has beside its status and detail. */
export interface ProblemOptions extends Omit<ErrorBody, 'detail'> {
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An answer other than success, thrown by the features. The detail is for the caller and names the offending part. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly body: ErrorBody
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, detail: string, { headers = {}, cause, ...more }: ProblemOptions = {}) {
    super(detail, cause === undefined ? undefined : { cause })
    this.status = status
    this.body = { detail, ...more }
    this.headers = headers
  }
}

/** What is asked cannot be, or not like this. */
export const badRequest = (detail: string, code?: string) =>
  new Problem(400, detail, code === undefined ? {} : { code })

/** No session, or what was to prove who is calling does not. */
export const unauthenticated = (detail = 'Authentication required.', code?: string) =>
  new Problem(401, detail, code === undefined ? {} : { code })

export const forbidden = (detail: string, code?: string) => new Problem(403, detail, code === undefined ? {} : { code })
export const notFound = (what: string) => new Problem(404, `There is no such ${what}`)
export const conflict = (detail: string, code?: string) => new Problem(409, detail, code === undefined ? {} : { code })

/** A member of the body is well formed but cannot be. */
export const invalidField = (field: string, message: string) =>
  new Problem(422, `${field} ${message}`, { errors: [{ field, message }] })

/** Everything that is wrong with a site, each member by its path. */
export function invalidSite(errors: readonly { readonly field: string; readonly message: string }[]): Problem {
  const [first] = errors
  return new Problem(422, `${first?.field ?? 'site'}: ${first?.message ?? 'is not valid'}`, { errors: [...errors] })
}

/** Too many of something; `seconds` is when to try again. */
export const tooMany = (detail: string, seconds: number) =>
  new Problem(429, detail, { headers: { 'retry-after': String(seconds) } })

export const unavailable = (detail: string, options: ProblemOptions = {}) => new Problem(503, detail, options)

const busy = () => unavailable('Too much is asked at the moment', { headers: { 'retry-after': '1' } })

/** Turns whatever was thrown into the one error shape. What nobody planned for becomes a 500 without detail. */
export function toError(error: unknown): ErrorAnswer {
  if (error instanceof Problem)
    return { status: error.status, body: error.body, headers: error.headers, isForeseen: true }
  if (error instanceof Fault) return toError(problemOfFault(error.reason))
  if (error instanceof AccountError) return toError(problemOfAccountError(error))
  if (error instanceof QueueFull) return toError(busy())
  return { status: 500, body: { detail: 'Something went wrong on the server; its log says more' } satisfies ErrorBody }
}

function problemOfFault(reason: FaultReason): Problem {
  switch (reason.kind) {
    case 'invalid':
      return invalidRequest(reason.part === 'body' ? 422 : 400, reason.fields)
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
      return tooMany(`Too many requests; try again in ${reason.retryAfterSeconds} s`, reason.retryAfterSeconds)
    case 'too-large':
      return new Problem(413, 'The body is too large')
    case 'unsupported-media-type':
      return new Problem(415, 'The body must be application/json')
    case 'malformed':
      return badRequest(reason.detail ?? 'The request is malformed')
  }
}

function problemOfAccountError({ message, reason }: AccountError): Problem {
  switch (reason.kind) {
    case 'wrong-credentials':
      return unauthenticated('The user name, the password or the recovery code is wrong')
    case 'rate-limited':
      return tooMany(`Too many requests; try again in ${reason.retryAfterSeconds} s`, reason.retryAfterSeconds)
    case 'too-many-tokens':
      return conflict(message)
    case 'last-administrator':
      return conflict(message, 'last_administrator')
    case 'invalid-password':
      return invalidField(reason.member, reason.message)
  }
}

function invalidRequest(status: 400 | 422, fields: readonly FieldIssue[]): Problem {
  const [first] = fields
  const where = first === undefined || first.path === '' ? 'The body' : first.path
  const errors = fields.map(({ path, message }) => ({ ...(path === '' ? {} : { field: path }), message }))
  return new Problem(status, `${where} ${first?.message ?? 'is not valid'}`, { errors })
}
