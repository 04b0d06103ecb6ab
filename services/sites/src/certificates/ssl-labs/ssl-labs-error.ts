/** Kind of a failure of SSL Labs. */
export type SslLabsTrouble =
  /** 441: the e-mail address is not registered. */
  | 'not-registered'
  /** 429: more was asked than is allowed. */
  | 'rate-limited'
  /** 503: not available for a while. */
  | 'unavailable'
  /** 529: too much to do. */
  | 'overloaded'
  /** 400, or a registration it does not want; the message is its own. */
  | 'refused'
  /** Anything else, and answers that cannot be read. */
  | 'failed'
  /** It cannot be reached, or the way there is not allowed. */
  | 'unreachable'

/** SSL Labs did not do what was asked. */
export class SslLabsError extends Error {
  override readonly name = 'SslLabsError'
  readonly trouble: SslLabsTrouble

  constructor(trouble: SslLabsTrouble, message: string, options?: ErrorOptions) {
    super(message.slice(0, 500), options)
    this.trouble = trouble
  }
}
