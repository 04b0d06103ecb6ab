import { AccountError } from '@hearth/accounts'
import { Fault, type ErrorAnswer, type FaultReason, type FieldIssue } from '@hearth/http'
import { z } from 'zod'

/** Every error code of the API with its status and title. */
const catalogue = {
  missing_token: { status: 401, title: 'A token is needed' },
  invalid_token: { status: 401, title: 'The token is not valid' },
  sign_in_required: { status: 401, title: 'Nobody is signed in' },
  wrong_credentials: { status: 401, title: 'User name or password is wrong' },
  insufficient_scope: { status: 403, title: 'The token may not do this' },
  write_not_allowed: { status: 403, title: 'Writing this is not approved' },
  forbidden: { status: 403, title: 'Not allowed' },
  password_change_required: { status: 403, title: 'The password must be changed first' },
  not_found: { status: 404, title: 'Not there' },
  unknown_device: { status: 404, title: 'There is no such device' },
  unknown_metric: { status: 404, title: 'There is no such metric' },
  write_disabled: { status: 404, title: 'Write access is off' },
  dispatch_not_found: { status: 404, title: 'No dispatch is active' },
  method_not_allowed: { status: 405, title: 'The address knows other methods' },
  conflict: { status: 409, title: 'Conflicts with what is there' },
  metric_is_action: { status: 409, title: 'The metric is an action' },
  fresh_not_available_for_periodic_metric: { status: 409, title: 'The metric is delivered periodically' },
  dispatch_mode_unavailable: { status: 409, title: 'The mode is not available' },
  dispatch_limits_missing: { status: 409, title: 'The device has no power limits' },
  dispatch_restore_required: { status: 409, title: 'Previous settings must be restored first' },
  dispatch_operation_conflict: { status: 409, title: 'Another operation is active' },
  dispatch_unverified: { status: 409, title: 'A required capability is not verified' },
  dispatch_capability_conflict: { status: 409, title: 'An active operation depends on it' },
  energy_manager_off: { status: 409, title: 'The Energy Manager is off' },
  energy_manager_not_external: { status: 409, title: 'The Energy Manager is commanded by hand' },
  energy_manager_external: { status: 409, title: 'The Energy Manager is commanded by the API' },
  energy_write_support_required: { status: 409, title: 'Write access is off' },
  energy_action_unavailable: { status: 409, title: 'The action is not available now' },
  invalid_request: { status: 422, title: 'The request is not valid' },
  invalid_parameter: { status: 422, title: 'A parameter is not valid' },
  batch_too_large: { status: 422, title: 'Too many names' },
  fresh_batch_too_large: { status: 422, title: 'Too many names for a fresh read' },
  value_out_of_range: { status: 422, title: 'The value is out of range' },
  value_type_mismatch: { status: 422, title: 'The value has another type' },
  value_not_finite: { status: 422, title: 'The value is not finite' },
  value_step_mismatch: { status: 422, title: 'The value is between two steps' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something went wrong on the server' },
  device_unreachable: { status: 502, title: 'The device does not answer' },
  device_timeout: { status: 502, title: 'The device did not answer in time' },
  protocol_error: { status: 502, title: 'The device answered something that cannot be' },
  device_unavailable: { status: 502, title: 'The device gave no value' },
  write_outcome_unknown: { status: 502, title: 'The value was sent but not confirmed' },
  queue_full: { status: 503, title: 'Too much is waiting for the device' },
  device_maintenance: { status: 503, title: 'The device is in maintenance' },
  not_ready: { status: 503, title: 'Not ready' },
  shutting_down: { status: 503, title: 'The service is stopping' },
  dispatch_store_unavailable: { status: 503, title: 'The dispatch record cannot be stored' },
  dispatch_record_corrupt: { status: 503, title: 'The dispatch record cannot be read' },
  dispatch_snapshot_stale: { status: 503, title: 'The present settings could not be read' },
  queue_timeout: { status: 504, title: 'Waited too long for the device' },
} as const

export type ProblemCode = keyof typeof catalogue

/** One offending part of a request, or one metric of a batch. */
export interface ProblemPart {
  readonly parameter: string
  readonly code: string
  readonly detail: string
}

/** What a problem may carry beside its code and detail. */
export interface ProblemFacts {
  readonly errors?: readonly ProblemPart[]
  /** Members of the document of this code, such as `devices` or `readback_value`. */
  readonly members?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number | undefined
  /** Another status than the code's own; a name in a query that is no metric is 422, in a path 404. */
  readonly status?: number
  readonly cause?: unknown
}

/** An answer other than success. `message` is for the caller and names the offending part. */
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

/** A member of the body or a parameter that cannot be; named in `errors`. */
export const invalid = (parameter: string, detail: string, code: ProblemCode = 'invalid_request') =>
  new Problem(code, `${parameter} ${detail}`, { errors: [{ parameter, code, detail }] })

/** The path names a device that is not configured. */
export const unknownDevice = (id: string) => new Problem('unknown_device', `There is no device ${id}`)

/** The body of every error: RFC 9457 with the members of this API. */
export const ProblemDocument = z
  .looseObject({
    type: z.string().meta({ description: 'urn:device-api:problem: and the code' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What is wrong, for a person' }),
    instance: z.string().meta({ description: 'Path of the request' }),
    code: z.enum(Object.keys(catalogue) as [ProblemCode, ...ProblemCode[]]),
    correlation_id: z.string().meta({ description: 'The X-Request-Id of this answer' }),
    timestamp: z.iso.datetime(),
    errors: z.array(z.object({ parameter: z.string(), code: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: 'Problem' })

/** Where a problem arose. */
export interface Occurrence {
  readonly instance: string
  readonly correlationId: string
}

/** Turns whatever was thrown into a problem document. What nobody planned for becomes a 500 without detail. */
export function toError(error: unknown, where: Occurrence): ErrorAnswer {
  const problem = problemOf(error)
  const { status, title } = catalogue[problem.code]
  const { errors, members = {}, retryAfterSeconds } = problem.facts
  const effective = problem.facts.status ?? status
  const wait = retryAfterSeconds ?? (effective === 503 ? 5 : undefined)
  return {
    status: effective,
    media: 'application/problem+json',
    isForeseen: problem.code !== 'internal_error',
    body: {
      type: `urn:device-api:problem:${problem.code}`,
      title,
      status: effective,
      detail: problem.message,
      instance: where.instance,
      code: problem.code,
      correlation_id: where.correlationId,
      timestamp: new Date().toISOString(),
      ...(errors === undefined ? {} : { errors }),
      ...members,
    },
    headers: {
      ...(effective === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(wait === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(wait))) }),
      ...headersOf(error),
    },
  }
}

function headersOf(error: unknown): Record<string, string> {
  return error instanceof Fault && error.reason.kind === 'method-not-allowed'
    ? { allow: error.reason.allowed.join(', ') }
    : {}
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof Fault) return problemOfFault(error.reason)
  if (error instanceof AccountError) return problemOfAccountError(error)
  return new Problem('internal_error', 'Something went wrong on the server; its log says more')
}

function problemOfFault(reason: FaultReason): Problem {
  switch (reason.kind) {
    case 'invalid':
      return invalidRequest(
        reason.part === 'query' || reason.part === 'params' ? 'invalid_parameter' : 'invalid_request',
        reason.fields,
      )
    case 'unauthenticated':
      return new Problem('missing_token', 'The header Authorization with a bearer token is missing')
    case 'forbidden':
      return new Problem('forbidden', reason.reason ?? 'Not allowed')
    case 'not-found':
      return new Problem('not_found', 'There is nothing at this address')
    case 'method-not-allowed':
      return new Problem('method_not_allowed', `Only ${reason.allowed.join(', ')} here`)
    case 'rate-limited':
      return new Problem(
        'rate_limited',
        `At most ${reason.limit} in ${reason.windowSeconds} seconds; try again in ${reason.retryAfterSeconds} s`,
        {
          retryAfterSeconds: reason.retryAfterSeconds,
        },
      )
    case 'too-large':
      return new Problem('invalid_request', 'The body is larger than 512 KiB', { status: 413 })
    case 'unsupported-media-type':
      return new Problem('invalid_request', 'The body must be application/json', { status: 415 })
    case 'malformed':
      return new Problem('invalid_request', reason.detail ?? 'The request is malformed', { status: 400 })
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

function invalidRequest(code: ProblemCode, fields: readonly FieldIssue[]): Problem {
  const [first] = fields
  const where = first === undefined || first.path === '' ? 'The body' : first.path
  return new Problem(code, `${where} ${first?.message ?? 'is not valid'}`, {
    errors: fields.map((field) => ({ parameter: field.path, code: field.code, detail: field.message })),
  })
}
