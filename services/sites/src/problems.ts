import { AccountError, PasskeyError } from '@hearth/accounts'
import { HttpError, type ErrorAnswer, type FieldIssue } from '@hearth/http'
import { NotificationError } from '@hearth/notifications'
import { QueueFull } from '@hearth/runtime'
import { z } from 'zod'

/** One error: an invalid member of the body, or a site of a refused configuration. */
export const ErrorItem = z
  .object({
    site_id: z.int().optional(),
    field: z.string().optional(),
    message: z.string(),
    caddy_error: z.string().optional().meta({ description: 'In Caddy’s own words' }),
  })
  .meta({ id: 'ErrorItem' })
export type ErrorItem = z.infer<typeof ErrorItem>

/** Checks of readiness; see `deploy/caddy-status.ts`. */
export const ReadyChecks = z
  .object({ runtime: z.boolean(), onboarding: z.boolean(), admin_api: z.boolean() })
  .meta({ id: 'ReadyChecks' })
export type ReadyChecks = z.infer<typeof ReadyChecks>

/** Body of every error response. */
export const ErrorBody = z
  .object({
    detail: z.string().meta({ description: 'What is wrong, for a person' }),
    errors: z.array(ErrorItem).optional(),
    code: z.string().optional().meta({ description: 'Stable code of a reason, where there is one' }),
    checks: ReadyChecks.optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>

/** Members of an error answer beside its status and detail. */
export interface ProblemOptions extends Omit<ErrorBody, 'detail'> {
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An error of the API, thrown by the features. The detail is for the caller and names the offending part. */
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

/** Creates the 400 problem of a request that is not possible in this form. */
export const badRequest = (detail: string, code?: string) =>
  new Problem(400, detail, code === undefined ? {} : { code })

/** Creates the 401 problem of a request without a valid session or credentials. */
export const unauthenticated = (detail = 'Authentication required.', code?: string) =>
  new Problem(401, detail, code === undefined ? {} : { code })

/** Creates the 403 problem of a request that the caller's role or proof does not allow. */
export const forbidden = (detail: string, code?: string) => new Problem(403, detail, code === undefined ? {} : { code })

/** Creates the 404 problem of a thing, named by its noun alone, such as `site`. */
export const notFound = (what: string) => new Problem(404, `There is no such ${what}`)

/** Creates the 409 problem of a request that the current state does not allow. */
export const conflict = (detail: string, code?: string) => new Problem(409, detail, code === undefined ? {} : { code })

/** Creates the 422 problem of a well-formed member of the body with an invalid value. */
export const invalidField = (field: string, message: string) =>
  new Problem(422, `${field} ${message}`, { errors: [{ field, message }] })

/** Creates the 422 problem of a site that the rules refuse, with the path of each member. */
export function invalidSite(errors: readonly { readonly field: string; readonly message: string }[]): Problem {
  const [first] = errors
  return new Problem(422, `${first?.field ?? 'site'}: ${first?.message ?? 'is not valid'}`, { errors: [...errors] })
}

/** Creates the 429 problem; `seconds` becomes `Retry-After`. */
export const tooMany = (detail: string, seconds: number) =>
  new Problem(429, detail, { headers: { 'retry-after': String(seconds) } })

/** Creates the 503 problem of a request that may work later. */
export const unavailable = (detail: string, options: ProblemOptions = {}) => new Problem(503, detail, options)

const busy = () => unavailable('Too much is asked at the moment', { headers: { 'retry-after': '1' } })

/** Turns whatever was thrown into the one error shape. An unexpected error becomes a 500 without detail. */
export function toError(error: unknown): ErrorAnswer {
  if (error instanceof Problem)
    return { status: error.status, body: error.body, headers: error.headers, isExpected: true }
  if (error instanceof HttpError) return toError(problemOfHttpError(error))
  if (error instanceof AccountError) return toError(problemOfAccountError(error))
  if (error instanceof PasskeyError) return toError(problemOfPasskeyError(error))
  if (error instanceof NotificationError) return toError(problemOfNotificationError(error))
  if (error instanceof QueueFull) return toError(busy())
  return { status: 500, body: { detail: 'Something went wrong on the server; its log says more' } satisfies ErrorBody }
}

function problemOfHttpError({ message, reason }: HttpError): Problem {
  switch (reason.kind) {
    case 'invalid':
      return new Problem(reason.part === 'body' ? 422 : 400, message, { errors: reason.fields.map(errorOfField) })
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
      return new Problem(413, 'The body is too large')
    case 'unsupported-media-type':
      return new Problem(415, 'The body must be application/json')
    case 'malformed':
      return badRequest(message)
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

function problemOfNotificationError({ message, reason }: NotificationError): Problem {
  switch (reason.kind) {
    case 'not-found':
      return notFound(reason.what)
    case 'invalid':
      return invalidField(reason.member, reason.message)
    case 'too-many-destinations':
      return conflict(message, 'too_many_destinations')
  }
}

function problemOfPasskeyError({ message, reason }: PasskeyError): Problem {
  switch (reason.kind) {
    case 'not-found':
      return notFound('passkey')
    case 'too-many-passkeys':
      return conflict(message, 'too_many_passkeys')
    case 'already-registered':
      return conflict(message, 'passkey_known')
    case 'invalid-registration':
      return badRequest(message, 'passkey_invalid')
    case 'unknown-challenge':
      return badRequest(message, 'challenge')
    case 'too-many-challenges':
      return unavailable(message, { headers: { 'retry-after': String(reason.retryAfterSeconds) } })
    case 'last-sign-in-method':
      return conflict(message, 'last_sign_in_method')
    case 'wrong-address':
      return conflict(message, 'passkeys_unavailable')
    case 'sign-in-failed':
      // The browser stops offering a passkey that is not known.
      return unauthenticated(message, reason.isUnknown === true ? 'unknown_passkey' : undefined)
  }
}

const errorOfField = ({ path, message }: FieldIssue): ErrorItem =>
  path === '' ? { message } : { field: path, message }
