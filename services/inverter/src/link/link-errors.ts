/** Reason why an exchange with a device failed. */
export type LinkFailure =
  /** There is no connection, or it broke. */
  | 'unreachable'
  /** The device did not answer in time. */
  | 'timeout'
  /** Every answer was damaged. */
  | 'protocol'
  | 'queue-full'
  | 'queue-timeout'
  /** The device is in its bootloader; nothing is sent to it. */
  | 'maintenance'
  /** The link was closed. */
  | 'closed'

const texts: Record<LinkFailure, string> = {
  unreachable: 'the device cannot be reached',
  timeout: 'the device did not answer in time',
  protocol: 'the answer of the device was damaged',
  'queue-full': 'too many requests wait for the device',
  'queue-timeout': 'the request waited too long for its turn',
  maintenance: 'the device is in maintenance',
  closed: 'the link to the device was closed',
}

/** An exchange with a device that failed. */
export class LinkError extends Error {
  override readonly name = 'LinkError'
  readonly failure: LinkFailure
  /** True if a byte of the request may have left, so that the device may have acted on it. */
  readonly sent: boolean
  /** Time to wait before another attempt, if that is known. */
  readonly retryAfterSeconds: number | undefined

  constructor(failure: LinkFailure, options: { sent?: boolean; retryAfterSeconds?: number | undefined } = {}) {
    super(texts[failure])
    this.failure = failure
    this.sent = options.sent ?? false
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
