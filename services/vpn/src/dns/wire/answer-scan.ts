import { Rcode, Type } from './codes.ts'
import { RecordReader } from './record-reader.ts'

/** Most records whose TTLs can be noted: more than fit in 65,535 bytes. */
const mostRecords = 6000

/** Longest that somebody's word for "there is no such thing" counts, seconds; RFC 2308 5 wants one to three hours at most. */
const longestNegative = 3600

/** What an upstream's answer holds; one object, filled anew for each. */
export class AnswerScan {
  rcode = 0
  /** AD bit. */
  isAuthentic = false
  isTruncated = false
  /** Where the records that are passed on end, counted from the message's start: without OPT and what follows it. */
  end = 0
  answers = 0
  authorities = 0
  additionals = 0
  /** Where their TTLs stand, counted from the message's start. */
  readonly ttlAt: Uint16Array = new Uint16Array(mostRecords)
  ttlCount = 0
  /** Some record leads to another name or names an address: the answer has to be looked at before it goes out. */
  hasTargets = false
  hasAddresses = false
  #hasAsked = false
  #soaTtlAt = -1
  #soaTtl = 0
  readonly #reader: RecordReader = new RecordReader()

  /**
   * Reads the answer m[o .. o + n) whose question ends at `from` (counted from o) and was of this type. False when it cannot be
   * read to its end.
   */
  read(m: Uint8Array, o: number, n: number, from: number, type: number): boolean {
    this.rcode = m[o + 3]! & 15
    this.isAuthentic = (m[o + 3]! & 0x20) !== 0
    this.isTruncated = (m[o + 2]! & 2) !== 0
    this.answers = (m[o + 6]! << 8) | m[o + 7]!
    this.authorities = (m[o + 8]! << 8) | m[o + 9]!
    this.additionals = 0
    this.ttlCount = 0
    this.hasTargets = false
    this.hasAddresses = false
    this.#hasAsked = false
    this.#soaTtlAt = -1
    this.end = from
    this.#reader.open(m, o + n, o + from)
    for (let k = 0; k < this.answers; k++) {
      if (!this.#take(o)) return false
      this.#noteAnswer(type)
    }
    for (let k = 0; k < this.authorities; k++) {
      if (!this.#take(o)) return false
      if (this.#reader.type === Type.soa) this.#noteSoa(m, o)
    }
    return this.#takeAdditional(m, o, (m[o + 10]! << 8) | m[o + 11]!)
  }

  /**
   * Brings the TTLs, where they stand in the message, within limits, and returns for how many seconds the answer may be kept; 0
   * for not at all. Negative answers live as long as the zone's SOA says (RFC 2308), whatever the least is.
   */
  limitTtls(m: Uint8Array, o: number, minTtl: number, maxTtl: number): number {
    const isNegative = this.rcode === Rcode.noSuchName || !this.#hasAsked
    let life = maxTtl
    for (let k = 0; k < this.ttlCount; k++) {
      const offset = this.ttlAt[k]!
      const at = o + offset
      let ttl = Math.max(0, (m[at]! << 24) | (m[at + 1]! << 16) | (m[at + 2]! << 8) | m[at + 3]!)
      if (isNegative && offset === this.#soaTtlAt) ttl = Math.min(ttl, this.#soaTtl, longestNegative)
      else if (!isNegative && ttl < minTtl) ttl = minTtl
      if (ttl > maxTtl) ttl = maxTtl
      m[at] = ttl >>> 24
      m[at + 1] = ttl >>> 16
      m[at + 2] = ttl >>> 8
      m[at + 3] = ttl
      if (ttl < life) life = ttl
    }
    if (this.isTruncated || (isNegative && this.#soaTtlAt < 0)) return 0
    return this.rcode === Rcode.noError || this.rcode === Rcode.noSuchName ? life : 0
  }

  /** The next record, of those that are passed on. OPT has no place among answers and authorities. */
  #take(o: number): boolean {
    const reader = this.#reader
    if (!reader.next() || reader.type === Type.opt || this.ttlCount === mostRecords) return false
    this.ttlAt[this.ttlCount++] = reader.ttlAt - o
    this.end = reader.at - o
    return true
  }

  #noteAnswer(asked: number): void {
    const { type } = this.#reader
    if (type === asked) this.#hasAsked = true
    if (type === Type.cname) this.hasTargets = true
    else if (type === Type.a || type === Type.aaaa) this.hasAddresses = true
    else if (type === Type.https || type === Type.svcb) this.hasTargets = this.hasAddresses = true
  }

  #noteSoa(m: Uint8Array, o: number): void {
    const { dataAt, dataEnd, ttl, ttlAt } = this.#reader
    if (this.#soaTtlAt >= 0 || dataEnd - dataAt < 22) return
    const minimum = (m[dataEnd - 4]! << 24) | (m[dataEnd - 3]! << 16) | (m[dataEnd - 2]! << 8) | m[dataEnd - 1]!
    this.#soaTtlAt = ttlAt - o
    this.#soaTtl = Math.min(ttl, Math.max(0, minimum))
  }

  /** Additional records up to OPT or TSIG, which are between the upstream and us. */
  #takeAdditional(m: Uint8Array, o: number, count: number): boolean {
    const reader = this.#reader
    for (let k = 0; k < count; k++) {
      if (!reader.next()) return false
      if (reader.type === Type.opt) {
        // The upper bits of an extended response code: nothing a client could be told.
        if (m[reader.ttlAt] !== 0) this.rcode = Rcode.serverFailure
        return true
      }
      if (reader.type === Type.tsig) return true
      if (this.ttlCount === mostRecords) return false
      this.ttlAt[this.ttlCount++] = reader.ttlAt - o
      this.end = reader.at - o
      this.additionals += 1
    }
    return true
  }
}
