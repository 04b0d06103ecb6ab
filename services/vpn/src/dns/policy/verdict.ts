/** Status of a query as a number, as it goes through shared memory into the log. */
export const Status = { allowed: 0, blocked: 1 } as const

/** Reason of a decision, in the order of the precedence table. Comments say what `source` holds. */
export const Reason = {
  /** Nothing matched. */
  none: 0,
  /** Filtering is paused, off, or off for this peer. */
  off: 1,
  /** A custom rule; `source` is the rule's number. */
  rule: 2,
  /** An exception or entry of a list; `source` is the list's number. */
  list: 3,
  /** A name the resolver always denies, such as `use-application-dns.net`. */
  special: 4,
  /** The answer leads into a private network (rebinding). */
  privateAnswer: 5,
  /**
   * A name that belongs to the local network and is never sent to an upstream; `source` is the zone's place in `localZones`,
   * `recordSource`, `peerNameSource` or `safeSearchSource`.
   */
  local: 6,
  /** The answer holds an address that a list is about; `source` is the list's number. */
  address: 7,
} as const
/** The `source` of a name that has local records. */
export const recordSource = 1_000_000
/** The `source` of a peer's name, and of names that could be one. */
export const peerNameSource = 1_000_001
/** The `source` of a name that safe search leads elsewhere. */
export const safeSearchSource = 1_000_002

export type ReasonCode = (typeof Reason)[keyof typeof Reason]

/** Details of the decision; bits. */
export const Trait = {
  cached: 1,
  /** The decision was about a CNAME target, not about the queried name. */
  cname: 2,
  /** The query came over TCP. */
  tcp: 4,
  /** No upstream answered. */
  failed: 8,
  /** Modifiers of the list's rule that decided. */
  dnstype: 16,
  denyallow: 32,
  /** `$client` or `$ctag`. */
  client: 64,
  dnsrewrite: 128,
} as const

/** A decision; `source` is 0 when the reason names none. */
export interface Verdict {
  readonly status: number
  readonly reason: ReasonCode
  readonly source: number
}
