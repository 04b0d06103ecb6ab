/** Kind of a failure of an authority. */
export type AcmeFailure = 'away' | 'rate-limited' | 'refused'

/** A request that an authority refused or did not answer. The message is for a person. */
export class AcmeError extends Error {
  override readonly name = 'AcmeError'
  readonly failure: AcmeFailure
  /** Last part of the problem's URN, such as `rejectedIdentifier`; empty when there is none. */
  readonly type: string
  /** Milliseconds after which the authority may be asked again, when it says so. */
  readonly retryAfterMs: number | undefined

  constructor(
    failure: AcmeFailure,
    message: string,
    more: { readonly type?: string; readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message.slice(0, 500), { cause: more.cause })
    this.failure = failure
    this.type = more.type ?? ''
    this.retryAfterMs = more.retryAfterMs
  }
}
