/** Reason why the guard refuses a connection. */
export type RefusalReason = 'host' | 'port' | 'address' | 'scheme' | 'credentials' | 'downgrade'

const refusals: Record<RefusalReason, (host: string, port: number) => string> = {
  host: (host) => `${host} is neither a host name nor an address`,
  port: (host, port) => `port ${port} of ${host} is not allowed`,
  address: (host) => `${host} does not lead to a public address`,
  scheme: (host) => `${host}: only http and https are allowed`,
  credentials: (host) => `an address at ${host} contains a user name or password`,
  downgrade: (host) => `a redirect to ${host} leads from https to http`,
}

/** The guard refused a destination; no connection was made. The message names the host and nothing else of the address. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused'
  readonly reason: RefusalReason
  readonly host: string
  readonly port: number

  constructor(reason: RefusalReason, host: string, port: number) {
    const shown = host.slice(0, 255)
    super(refusals[reason](shown, port))
    this.reason = reason
    this.host = shown
    this.port = port
  }
}

/** Kind of failure of a destination that is allowed. */
export type FailureKind =
  | 'unresolved'
  | 'unreachable'
  | 'timeout'
  | 'too-large'
  | 'too-many-redirects'
  | 'unreadable-answer'

const failures: Record<FailureKind, string> = {
  unresolved: 'has no address',
  unreachable: 'cannot be reached',
  timeout: 'did not answer in time',
  'too-large': 'answers with more than is accepted',
  'too-many-redirects': 'redirects too often',
  'unreadable-answer': 'gives an answer that cannot be read',
}

/** An allowed destination failed. The message names the host and nothing else of the address. */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed'
  readonly kind: FailureKind
  readonly host: string

  constructor(kind: FailureKind, host: string, options?: ErrorOptions) {
    super(`${host} ${failures[kind]}`, options)
    this.kind = kind
    this.host = host
  }
}
