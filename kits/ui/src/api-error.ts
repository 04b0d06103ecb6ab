/** Returns why the server refused: the reason in the details, or the kind where that is a stable code. */
export function reasonOf({ details, kind }: ApiError): string {
  return text(details['reason']) || kind
}

/** A problem with one member of a request; the message reads after the member's name. */
export interface FieldProblem {
  path: string
  code: string
  message: string
}

/** An answer that was not a success, or no answer at all (`status` 0). */
export class ApiError extends Error {
  readonly status: number
  /** The kind of error as the server names it, such as "Conflict". */
  readonly kind: string
  readonly details: Readonly<Record<string, unknown>>
  /** Problems of single members: a 400 or 422 lists them, a 409 names the one that is taken. */
  readonly fields: readonly FieldProblem[]
  /** Seconds until another try makes sense; only with 429 and 503. */
  readonly retryAfter: number | undefined

  constructor(
    message: string,
    facts: { status: number; kind?: string; details?: unknown; retryAfter?: number | undefined },
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = facts.status
    this.kind = facts.kind ?? ''
    this.details = isRecord(facts.details) ? facts.details : {}
    this.fields = readFields(this.details, message)
    this.retryAfter = facts.retryAfter
  }
}

/**
 * Reads an error answer: the envelope with `error`, `message` and `details`, a problem document (RFC 9457) with `code`,
 * `detail` and `errors`, or a bare `detail` with members of its own, among them `errors`. A body of no such shape still gives
 * a sentence for a person.
 */
export async function readApiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  const known = isRecord(body) ? body : {}
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const { message, kind, details } = factsOf(known)
  return new ApiError(message === '' ? `The server answered ${response.status}` : message, {
    status: response.status,
    kind,
    details,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  })
}

interface ErrorFacts {
  message: string
  kind: string
  details: unknown
}

function factsOf(body: Readonly<Record<string, unknown>>): ErrorFacts {
  if (typeof body['code'] === 'string') return fromProblem(body)
  return typeof body['detail'] === 'string' ? fromDetail(body) : fromEnvelope(body)
}

/** `error` is a stable code where there is one. */
function fromDetail({ detail, error, ...members }: Readonly<Record<string, unknown>>): ErrorFacts {
  return { message: text(detail), kind: text(error), details: { ...members, ...fieldsOf(members['errors']) } }
}

function fromEnvelope(body: Readonly<Record<string, unknown>>): ErrorFacts {
  return { message: text(body['message']), kind: text(body['error']), details: body['details'] }
}

/** The code is what the envelope calls a reason; the parts of `errors` are its fields. */
function fromProblem({ code, detail, ...members }: Readonly<Record<string, unknown>>): ErrorFacts {
  return {
    message: text(detail),
    kind: text(code),
    details: { ...members, reason: code, ...fieldsOf(members['errors']) },
  }
}

/** A part says which member it is about, and what is wrong with it; services differ in what they call that. */
function fieldsOf(errors: unknown): { fields?: FieldProblem[] } {
  const fields = (Array.isArray(errors) ? (errors as unknown[]) : []).filter(isRecord).map((part) => ({
    path: text(part['parameter'] ?? part['name'] ?? part['field']),
    code: text(part['code']),
    message: text(part['detail'] ?? part['message']),
  }))
  return fields.length > 0 ? { fields } : {}
}

/** The error of a request that got no answer. */
export function unreachable(): ApiError {
  return new ApiError('The server does not answer. Check that it runs and that this device is online.', { status: 0 })
}

/** One sentence for a person about anything that was thrown. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError && error.status === 429) return tooMany(error.retryAfter)
  if (error instanceof ApiError && error.fields.length > 0 && (error.status === 422 || error.status === 400))
    return error.fields.map((field) => sentence(field)).join('. ')
  return error instanceof Error ? error.message : 'Something went wrong'
}

function tooMany(seconds: number | undefined): string {
  if (seconds === undefined) return 'Too many requests. Wait a little and try again.'
  return `Too many requests. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
}

function sentence(field: FieldProblem): string {
  const name = field.path.replaceAll('_', ' ')
  return name === '' ? field.message : `${name.charAt(0).toUpperCase()}${name.slice(1)} ${field.message}`
}

function readFields(details: Readonly<Record<string, unknown>>, message: string): FieldProblem[] {
  if (typeof details['field'] === 'string') return [{ path: details['field'], code: 'conflict', message }]
  const list = Array.isArray(details['fields']) ? (details['fields'] as unknown[]) : []
  return list.filter(isRecord).map((entry) => ({
    path: text(entry['path']),
    code: text(entry['code']),
    message: text(entry['message']),
  }))
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
