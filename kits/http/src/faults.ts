/** One member of a request that is not as it should be. `path` is dotted; empty for the whole. */
export interface FieldIssue {
  readonly path: string
  readonly code: string
  readonly message: string
}

/** Where in a request the bad part stands. `syntax` is a body that could not be parsed at all. */
export type RequestPart = 'params' | 'query' | 'body' | 'syntax'

/**
 * What can be wrong with a request before a service's own rules are asked. A fault knows no body shape and no status text:
 * each service turns it into its own error answer in one place.
 */
export type FaultReason =
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

/** Thrown by kits and guards; see `FaultReason`. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly reason: FaultReason

  constructor(reason: FaultReason) {
    super(reason.kind)
    this.reason = reason
  }
}
