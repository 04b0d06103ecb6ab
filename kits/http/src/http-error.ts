/** One member of a request that is not as it should be. `path` is dotted; empty for the whole. */
export interface FieldIssue {
  readonly path: string
  readonly code: string
  readonly message: string
}

/** Part of a request that is wrong. `syntax` is a body that could not be parsed at all. */
export type RequestPart = 'params' | 'query' | 'body' | 'syntax'

/**
 * Reason for refusing a request before a service's own rules are checked. The error knows no body shape and no status text:
 * each service turns it into its own error answer in one place.
 */
export type HttpErrorReason =
  | { readonly kind: 'invalid'; readonly part: RequestPart; readonly fields: readonly FieldIssue[] }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly reason?: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'method-not-allowed'; readonly allowed: readonly string[] }
  | {
      readonly kind: 'rate-limited'
      readonly limit: number
      readonly windowSeconds: number
      readonly retryAfterSeconds: number
    }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'unsupported-media-type' }
  /** `detail` is a sentence for the caller that says what cannot be read. */
  | { readonly kind: 'malformed'; readonly detail?: string }

/** Thrown by kits and guards; see `HttpErrorReason`. `message` is a sentence for the caller where the reason has one. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly reason: HttpErrorReason

  constructor(reason: HttpErrorReason) {
    super(messageOf(reason))
    this.reason = reason
  }
}

function messageOf(reason: HttpErrorReason): string {
  switch (reason.kind) {
    case 'invalid': {
      const [first] = reason.fields
      const where = first === undefined || first.path === '' ? 'The body' : first.path
      return `${where} ${first?.message ?? 'is not valid'}`
    }
    case 'forbidden':
      return reason.reason ?? 'Not allowed'
    case 'method-not-allowed':
      return `Only ${reason.allowed.join(', ')} here`
    case 'malformed':
      return reason.detail ?? 'The request is malformed'
    case 'unauthenticated':
    case 'not-found':
    case 'rate-limited':
    case 'too-large':
    case 'unsupported-media-type':
      return reason.kind
  }
}
