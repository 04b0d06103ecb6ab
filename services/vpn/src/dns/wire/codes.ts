/** Types of records and questions that mean something to a resolver that forwards. */
export const Type = {
  a: 1,
  ns: 2,
  cname: 5,
  soa: 6,
  ptr: 12,
  hinfo: 13,
  mx: 15,
  txt: 16,
  aaaa: 28,
  srv: 33,
  dname: 39,
  opt: 41,
  ds: 43,
  svcb: 64,
  https: 65,
  tkey: 249,
  tsig: 250,
  ixfr: 251,
  axfr: 252,
  mailb: 253,
  maila: 254,
  any: 255,
} as const

/** Response codes. */
export const Rcode = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  noSuchName: 3,
  notImplemented: 4,
  refused: 5,
  badVersion: 16,
} as const

/** Extended DNS Errors (RFC 8914). */
export const ExtendedError = {
  none: -1,
  staleAnswer: 3,
  forged: 4,
  blocked: 15,
  staleNoSuchName: 19,
  noReachableAuthority: 22,
} as const

/** Bytes of UDP we take and, at most, send: what goes everywhere without fragments (DNS flag day 2020). */
export const udpSize = 1232

/** The response code by which a bridge says that its server cannot be queried; unassigned, so no server sends it. */
export const unreachableCode = 15
