/** The rows of the precedence table, as `Decider.row` names them. */
export const Row = {
  off: 0,
  clientRule: 1,
  globalRule: 2,
  important: 3,
  exception: 4,
  block: 5,
  special: 6,
  nothing: 7,
  local: 8,
  rewrite: 9,
  record: 10,
  profileRule: 11,
} as const

/** A row of the published table. */
export interface PrecedenceRow {
  readonly row: number
  readonly lookedAt: string
  readonly outcome: string
}

/**
 * The rows of a decision, first to last: the first row that has something to say counts. First the queried name goes through
 * it, then every name its CNAME (HTTPS, SVCB) records point to; a rule or an exception that allows the queried name ends the matter.
 * A rule for `d` holds for d and everything below, one for `*.d` only for what is below.
 */
export const precedence: readonly PrecedenceRow[] = [
  {
    row: Row.off,
    lookedAt: 'filtering is off or paused, off for this peer, or paused for its profile',
    outcome: 'allowed',
  },
  {
    row: Row.clientRule,
    lookedAt:
      'custom rules for this peer: the one for the most specific name; of equally specific ones allow before block',
    outcome: 'as the rule says',
  },
  {
    row: Row.profileRule,
    lookedAt: "rules of the peer's profile and services it switches off, in the same way",
    outcome: 'as the rule says',
  },
  { row: Row.globalRule, lookedAt: 'custom rules for everyone, in the same way', outcome: 'as the rule says' },
  {
    row: Row.record,
    lookedAt:
      'local records: the name itself, otherwise the closest wildcard above it; then names of peers; unless a rule blocks the name; also while filtering is off',
    outcome: 'answered from the records, or without data when none is of the asked type',
  },
  {
    row: Row.special,
    lookedAt:
      'names that switch browsers and phones to resolvers of their own: use-application-dns.net, mask.icloud.com, mask-h2.icloud.com',
    outcome: 'blocked, always as NXDOMAIN',
  },
  {
    row: Row.local,
    lookedAt:
      'names that belong to the local network: localhost, .onion, .invalid, .test, .local, home.arpa, reverse zones of private addresses; unless their zone is forwarded; also while filtering is off',
    outcome: 'answered by the resolver itself: no such name, or the loopback address',
  },
  {
    row: Row.rewrite,
    lookedAt:
      'the lists of the peer or its profile: answers they give themselves ($dnsrewrite), unless an exception takes them away',
    outcome: 'answered as the rule says',
  },
  {
    row: Row.important,
    lookedAt: 'the lists of the peer or its profile: important exceptions, then important blocks',
    outcome: 'allowed or blocked',
  },
  { row: Row.exception, lookedAt: 'the lists of the peer or its profile: exceptions', outcome: 'allowed' },
  { row: Row.block, lookedAt: 'the lists of the peer or its profile: blocks', outcome: 'blocked' },
  { row: Row.nothing, lookedAt: 'nothing of the above', outcome: 'allowed' },
]
