import { AccountError, PasskeyError } from '@hearth/accounts'
import { HttpError, type ErrorAnswer } from '@hearth/http'
import { NotificationError } from '@hearth/notifications'
import { z } from 'zod'

/** Every error code of the API with its status and title. */
const catalogue = {
  passkey_invalid: { status: 400, title: 'The passkey could not be verified' },
  challenge: { status: 400, title: 'The passkey request is not open' },
  missing_token: { status: 401, title: 'Token required' },
  invalid_token: { status: 401, title: 'Invalid token' },
  sign_in_required: { status: 401, title: 'Not signed in' },
  wrong_credentials: { status: 401, title: 'Wrong user name or password' },
  passkey_refused: { status: 401, title: 'The passkey was not accepted' },
  unknown_passkey: { status: 401, title: 'The passkey was not accepted' },
  insufficient_scope: { status: 403, title: 'The token may not do this' },
  write_not_allowed: { status: 403, title: 'Writing this is not approved' },
  forbidden: { status: 403, title: 'Not allowed' },
  password_change_required: { status: 403, title: 'The password must be changed first' },
  not_found: { status: 404, title: 'Not found' },
  unknown_device: { status: 404, title: 'Unknown device' },
  unknown_metric: { status: 404, title: 'Unknown metric' },
  write_disabled: { status: 404, title: 'Write access is off' },
  dispatch_not_found: { status: 404, title: 'No dispatch is active' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'Conflict' },
  passkey_known: { status: 409, title: 'The passkey is registered already' },
  passkeys_unavailable: { status: 409, title: 'No passkeys at this address' },
  metric_is_action: { status: 409, title: 'The metric is an action' },
  fresh_not_available_for_periodic_metric: { status: 409, title: 'The metric is delivered periodically' },
  dispatch_mode_unavailable: { status: 409, title: 'The mode is not available' },
  dispatch_limits_missing: { status: 409, title: 'The device has no power limits' },
  dispatch_restore_required: { status: 409, title: 'Previous settings must be restored first' },
  dispatch_operation_conflict: { status: 409, title: 'Another operation is active' },
  dispatch_unverified: { status: 409, title: 'A required capability is not verified' },
  dispatch_capability_conflict: { status: 409, title: 'An active operation depends on it' },
  energy_manager_off: { status: 409, title: 'The Energy Manager is off' },
  energy_manager_not_external: { status: 409, title: 'The Energy Manager is in manual mode' },
  energy_manager_external: { status: 409, title: 'The Energy Manager is in external mode' },
  energy_write_support_required: { status: 409, title: 'Write access is off' },
  energy_action_unavailable: { status: 409, title: 'The action is not available now' },
  invalid_request: { status: 422, title: 'Invalid request' },
  invalid_parameter: { status: 422, title: 'Invalid parameter' },
  batch_too_large: { status: 422, title: 'Too many names' },
  fresh_batch_too_large: { status: 422, title: 'Too many names for a fresh read' },
  value_out_of_range: { status: 422, title: 'The value is out of range' },
  value_type_mismatch: { status: 422, title: 'The value has another type' },
  value_not_finite: { status: 422, title: 'The value is not finite' },
  value_step_mismatch: { status: 422, title: 'The value is between two steps' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal server error' },
  device_unreachable: { status: 502, title: 'The device does not answer' },
  device_timeout: { status: 502, title: 'The device did not answer in time' },
  protocol_error: { status: 502, title: 'Invalid answer from the device' },
  device_unavailable: { status: 502, title: 'No value from the device' },
  write_outcome_unknown: { status: 502, title: 'The value was sent but not confirmed' },
  queue_full: { status: 503, title: 'Too many requests for the device' },
  device_maintenance: { status: 503, title: 'The device is in maintenance' },
  not_ready: { status: 503, title: 'Not ready' },
  shutting_down: { status: 503, title: 'The service is stopping' },
  dispatch_store_unavailable: { status: 503, title: 'The dispatch record cannot be stored' },
  dispatch_record_corrupt: { status: 503, title: 'The dispatch record cannot be read' },
  dispatch_snapshot_stale: { status: 503, title: 'The current settings could not be read' },
  queue_timeout: { status: 504, title: 'Timeout in the queue of the device' },
} as const

/** Error code of the API; it determines the status and the title. */
export type ProblemCode = keyof typeof catalogue

/** Optional members of a problem. */
interface ProblemFacts {
  /** The offending parts of a request, or the metrics of a batch. */
  readonly errors?: readonly { readonly parameter: string; readonly code: string; readonly detail: string }[]
  /** Members of the document of this code, such as `devices` or `readback_value`. */
  readonly members?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number | undefined
  /** Replaces the status of the code: an unknown metric is 404 in a path and 422 in a query. */
  readonly status?: number
  readonly cause?: unknown
}

/** An error of the API. `message` is for the caller and names the offending part. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly facts: ProblemFacts

  constructor(code: ProblemCode, message: string, facts: ProblemFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = code
    this.facts = facts
  }
}

/** Creates the problem of an invalid member of the body or parameter, which `errors` names. */
export const invalid = (parameter: string, detail: string, code: ProblemCode = 'invalid_request') =>
  new Problem(code, `${parameter} ${detail}`, { errors: [{ parameter, code, detail }] })

/** Creates the problem of a path that names a device that is not configured. */
export const unknownDevice = (id: string) => new Problem('unknown_device', `There is no device ${id}`)

/** The body of every error: RFC 9457 with the members of this API. */
export const ProblemDocument = z
  .looseObject({
    type: z.string().meta({ description: 'urn:device-api:problem: and the code' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'Error message' }),
    instance: z.string().meta({ description: 'Path of the request' }),
    code: z.enum(Object.keys(catalogue) as [ProblemCode, ...ProblemCode[]]),
    correlation_id: z.string().meta({ description: 'The X-Request-Id of this answer' }),
    timestamp: z.iso.datetime(),
    errors: z.array(z.object({ parameter: z.string(), code: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: 'Problem' })

/** Turns whatever was thrown by a request into a problem document. An unexpected error becomes a 500 without detail. */
export function toError(error: unknown, request: { instance: string; correlationId: string }): ErrorAnswer {
  const problem = problemOf(error)
  const { status, title } = catalogue[problem.code]
  const { errors, members = {}, retryAfterSeconds } = problem.facts
  const effective = problem.facts.status ?? status
  const wait = retryAfterSeconds ?? (effective === 503 ? 5 : undefined)
  return {
    status: effective,
    media: 'application/problem+json',
    isExpected: problem.code !== 'internal_error',
    body: {
      type: `urn:device-api:problem:${problem.code}`,
      title,
      status: effective,
      detail: problem.message,
      instance: request.instance,
      code: problem.code,
      correlation_id: request.correlationId,
      timestamp: new Date().toISOString(),
      ...(errors === undefined ? {} : { errors }),
      ...members,
    },
    headers: {
      ...(effective === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(wait === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(wait))) }),
      ...(error instanceof HttpError && error.reason.kind === 'method-not-allowed'
        ? { allow: error.reason.allowed.join(', ') }
        : {}),
    },
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof HttpError) return problemOfHttpError(error)
  if (error instanceof AccountError) return problemOfAccountError(error)
  if (error instanceof PasskeyError) return problemOfPasskeyError(error)
  if (error instanceof NotificationError) return problemOfNotificationError(error)
  return new Problem('internal_error', 'Internal server error; see the log of the service')
}

function problemOfNotificationError({ message, reason }: NotificationError): Problem {
  switch (reason.kind) {
    case 'not-found':
      return new Problem('not_found', message)
    case 'invalid':
      return invalid(reason.member, reason.message)
    case 'too-many-destinations':
      return new Problem('conflict', message)
  }
}

function problemOfHttpError({ message, reason }: HttpError): Problem {
  switch (reason.kind) {
    case 'invalid':
      return new Problem(
        reason.part === 'query' || reason.part === 'params' ? 'invalid_parameter' : 'invalid_request',
        message,
        { errors: reason.fields.map(({ path, code, message: detail }) => ({ parameter: path, code, detail })) },
      )
    case 'unauthenticated':
      return new Problem('missing_token', 'The header Authorization with a bearer token is missing')
    case 'forbidden':
      return new Problem('forbidden', message)
    case 'not-found':
      return new Problem('not_found', 'Not found')
    case 'method-not-allowed':
      return new Problem('method_not_allowed', message)
    case 'rate-limited':
      return new Problem(
        'rate_limited',
        `At most ${reason.limit} in ${reason.windowSeconds} seconds; try again in ${reason.retryAfterSeconds} s`,
        { retryAfterSeconds: reason.retryAfterSeconds },
      )
    case 'too-large':
      return new Problem('invalid_request', 'The body is larger than 512 KiB', { status: 413 })
    case 'unsupported-media-type':
      return new Problem('invalid_request', 'The body must be application/json', { status: 415 })
    case 'malformed':
      return new Problem('invalid_request', message, { status: 400 })
  }
}

function problemOfPasskeyError({ message, reason }: PasskeyError): Problem {
  switch (reason.kind) {
    case 'not-found':
      return new Problem('not_found', message)
    case 'invalid-registration':
      return new Problem('passkey_invalid', message)
    case 'unknown-challenge':
      return new Problem('challenge', message)
    case 'too-many-challenges':
      return new Problem('rate_limited', message, { retryAfterSeconds: reason.retryAfterSeconds })
    case 'already-registered':
      return new Problem('passkey_known', message)
    case 'wrong-address':
      return new Problem('passkeys_unavailable', message)
    case 'too-many-passkeys':
    case 'last-sign-in-method':
      return new Problem('conflict', message)
    case 'sign-in-failed':
      return new Problem(reason.isUnknown === true ? 'unknown_passkey' : 'passkey_refused', message)
  }
}

function problemOfAccountError({ message, reason }: AccountError): Problem {
  switch (reason.kind) {
    case 'wrong-credentials':
      return new Problem('wrong_credentials', message)
    case 'rate-limited':
      return new Problem('rate_limited', `Too many failed sign-ins; try again in ${reason.retryAfterSeconds} s`, {
        retryAfterSeconds: reason.retryAfterSeconds,
      })
    case 'too-many-tokens':
    case 'last-administrator':
      return new Problem('conflict', message)
    case 'invalid-password':
      return invalid(reason.member, reason.message)
  }
}
