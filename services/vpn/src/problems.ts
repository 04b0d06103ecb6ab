import { AccountError, PasskeyError } from '@hearth/accounts'
import { type ErrorAnswer, HttpError } from '@hearth/http'
import { uniqueViolation } from '@hearth/database'
import { NotificationError } from '@hearth/notifications'
import { OutboundRefused } from '@hearth/outbound'
import type { ErrorBody } from './envelope.ts'
import { DeviceError } from './wireguard/device.ts'

/** Every kind of error that the API answers, with its status and the `error` text of its envelope. */
const catalogue = {
  'bad-request': { status: 400, error: 'Bad Request' },
  unauthorized: { status: 401, error: 'Unauthorized' },
  forbidden: { status: 403, error: 'Forbidden' },
  'not-found': { status: 404, error: 'Not Found' },
  'method-not-allowed': { status: 405, error: 'Method Not Allowed' },
  conflict: { status: 409, error: 'Conflict' },
  'too-large': { status: 413, error: 'Payload Too Large' },
  'unsupported-media-type': { status: 415, error: 'Unsupported Media Type' },
  invalid: { status: 422, error: 'Validation Failed' },
  'too-many-requests': { status: 429, error: 'Too Many Requests' },
  internal: { status: 500, error: 'Internal Server Error' },
  unavailable: { status: 503, error: 'Service Unavailable' },
  'tunnel-failed': { status: 500, error: 'Tunnel Error' },
} as const

export type ProblemKind = keyof typeof catalogue

/** An answer other than success, thrown by the features. The message is for the caller and names the offending part. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly kind: ProblemKind
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(
    kind: ProblemKind,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.details = options.details
  }
}

/** The path names a resource that does not exist. */
export const notFound = (what: string) => new Problem('not-found', `There is no ${what}`)

/** The change conflicts with an existing resource; `field` is the member that must differ. */
export const conflict = (field: string, message: string, more: Record<string, unknown> = {}) =>
  new Problem('conflict', message, { details: { field, ...more } })

/** A member of the body is well formed but not acceptable. */
export const invalidField = (path: string, message: string, code = 'invalid') =>
  new Problem('invalid', `${path} ${message}`, { details: { fields: [{ path, code, message }] } })

/** Does the work; returns the problem that it ends with, undefined for none. Other errors are thrown on. */
export async function problemOf(work: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The members that a problem is about, each with what is wrong; one without a path when it names none. */
export function problemFields({ message, details = {} }: Problem): { path: string; message: string }[] {
  const fields = details['fields'] as { path: string; message: string }[] | undefined
  const { field } = details
  return fields ?? [{ path: typeof field === 'string' ? field : '', message }]
}

/** Problem for a request that cannot be fulfilled, or not now. */
export const badRequest = (message: string) => new Problem('bad-request', message)

/** The caller may not do this. */
export const forbidden = (message: string, details?: Record<string, unknown>) =>
  new Problem('forbidden', message, details === undefined ? {} : { details })

/** The problem behind a failed change of a device, in the device's own words; other errors as they are. */
export function tunnelProblem(error: unknown): unknown {
  if (!(error instanceof DeviceError)) return error
  return new Problem('tunnel-failed', `The tunnel refused the change, nothing was changed: ${error.message}`, {
    cause: error,
  })
}

/** Turns whatever was thrown into the envelope. An unexpected error becomes a 500 without detail. */
export function toError(error: unknown): ErrorAnswer {
  if (error instanceof Problem) {
    const { status, error: title } = catalogue[error.kind]
    const body: ErrorBody = {
      error: title,
      message: error.message,
      ...(error.details === undefined ? {} : { details: { ...error.details } }),
    }
    return { status, body }
  }
  if (error instanceof HttpError) return answerOfHttpError(error)
  if (error instanceof AccountError) return answerOfAccountError(error)
  if (error instanceof PasskeyError) return answerOfPasskeyError(error)
  if (error instanceof NotificationError) return answerOfNotificationError(error)
  if (error instanceof DeviceError) return toError(tunnelProblem(error))
  return toError(new Problem('internal', 'Something went wrong on the server; its log says more'))
}

function answerOfNotificationError({ message, reason }: NotificationError): ErrorAnswer {
  switch (reason.kind) {
    case 'not-found':
      return toError(notFound(`such ${reason.what}`))
    case 'invalid':
      return toError(invalidField(reason.member, reason.message))
    case 'too-many-destinations':
      return toError(conflict('destinations', message))
  }
}

function answerOfHttpError({ message, reason }: HttpError): ErrorAnswer {
  switch (reason.kind) {
    case 'invalid':
      return toError(
        new Problem(reason.part === 'body' ? 'invalid' : 'bad-request', message, {
          details: { fields: reason.fields },
        }),
      )
    case 'unauthenticated':
      return {
        ...toError(new Problem('unauthorized', 'The API token or session is missing or not valid')),
        headers: { 'www-authenticate': 'Bearer' },
      }
    case 'forbidden':
      return toError(new Problem('forbidden', reason.reason ?? 'Insufficient permissions'))
    case 'not-found':
      return toError(notFound('such address'))
    case 'method-not-allowed':
      return {
        ...toError(new Problem('method-not-allowed', message)),
        headers: { allow: reason.allowed.join(', ') },
      }
    case 'rate-limited':
      return rateLimited(reason.limit, reason.windowSeconds, reason.retryAfterSeconds)
    case 'too-large':
      return toError(new Problem('too-large', 'The body is larger than 1 MiB'))
    case 'unsupported-media-type':
      return toError(new Problem('unsupported-media-type', 'The body must be application/json'))
    case 'malformed':
      return toError(new Problem('bad-request', message))
  }
}

function answerOfAccountError({ message, reason }: AccountError): ErrorAnswer {
  switch (reason.kind) {
    case 'wrong-credentials':
      return toError(new Problem('unauthorized', message, { details: { reason: 'credentials' } }))
    case 'rate-limited':
      return rateLimited(reason.limit, reason.windowSeconds, reason.retryAfterSeconds)
    case 'too-many-tokens':
      return toError(conflict('name', message))
    case 'last-administrator':
      return toError(conflict('role', message))
    case 'invalid-password':
      return toError(invalidField(reason.member, reason.message, reason.code))
  }
}

/** The page tells these apart by `details.reason`. */
function answerOfPasskeyError({ message, reason }: PasskeyError): ErrorAnswer {
  const because = (code: string) => ({ details: { reason: code } })
  switch (reason.kind) {
    case 'not-found':
      return toError(notFound('such passkey'))
    case 'invalid-registration':
      return toError(new Problem('bad-request', message, because('passkey_invalid')))
    case 'unknown-challenge':
      return toError(new Problem('bad-request', message, because('challenge')))
    case 'too-many-challenges':
      return {
        ...toError(new Problem('unavailable', message)),
        headers: { 'retry-after': String(reason.retryAfterSeconds) },
      }
    case 'already-registered':
      return toError(new Problem('conflict', message, because('passkey_known')))
    case 'wrong-address':
      return toError(new Problem('conflict', message, because('passkeys_unavailable')))
    case 'too-many-passkeys':
    case 'last-sign-in-method':
      return toError(new Problem('conflict', message))
    case 'sign-in-failed': {
      const code = reason.isUnknown === true ? 'unknown_passkey' : 'credentials'
      return toError(new Problem('unauthorized', message, because(code)))
    }
  }
}

function rateLimited(limit: number, window: number, seconds: number): ErrorAnswer {
  const problem = new Problem(
    'too-many-requests',
    `Rate limit exceeded; try again in ${seconds} second${seconds === 1 ? '' : 's'}`,
    {
      details: { retry_after: seconds, limit, window },
    },
  )
  return { ...toError(problem), headers: { 'retry-after': String(seconds) } }
}

/**
 * Two concurrent changes can pass a check together; the unique index then refuses one of them, and this says which
 * member it was. Names that contain another one stand first.
 *
 * @param members columns with a unique index, as the API calls them
 */
export async function namedConflict<T>(what: string, members: readonly string[], write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const columns = uniqueViolation(error)
    const member = members.find((name) => columns?.includes(name) === true)
    if (member === undefined) throw error
    throw conflict(member, `Another ${what} has this ${member.replaceAll('_', ' ')}`)
  }
}

/** Message for an administrator about a failed fetch; a refusal names the variable that lifts it. */
export function outboundMessage(error: Error): string {
  if (!(error instanceof OutboundRefused)) return error.message
  const { reason, host, port } = error
  if (reason === 'address') return `${error.message}; add it to OUTBOUND_ALLOW to fetch from it`
  if (reason === 'port') return `${error.message}; add ${host}:${port} to OUTBOUND_ALLOW to fetch from it`
  return error.message
}
