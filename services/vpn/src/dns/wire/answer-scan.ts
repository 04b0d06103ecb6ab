import { ExtendedError, Rcode, Type } from './codes.ts'
import { isPrivateRecord } from './private-address.ts'
import { RecordReader } from './record-reader.ts'

/** Most records whose TTLs can be noted: more than fit in 65,535 bytes. */
const maxRecords = 6000

/** Maximum TTL of a negative answer, seconds; RFC 2308, section 5, recommends one to three hours. */
const maxNegativeTtl = 3600

/** Contents of an upstream's answer; one object, filled again for each. */
export class AnswerScan {
  rcode = 0
  /** AD bit. */
  isAuthentic = false
  isTruncated = false
  /** The upstream's Extended DNS Error (RFC 8914); -1 for none. */
  error: number = ExtendedError.none
  /** End of the records that are passed on, counted from the message's start: without OPT and what follows it. */
  end = 0
  answers = 0
  authorities = 0
  additionals = 0
  /** Positions of their TTLs, counted from the message's start. */
  readonly ttlAt: Uint16Array = new Uint16Array(maxRecords)
  ttlCount = 0
  /** Some record leads to another name, or into a private network: the answer has to be examined before it goes out. */
  hasTargets = false
  hasPrivate = false
  /** Some record among the answers is of the type that was asked for. */
  hasQueriedType = false
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
    this.hasPrivate = false
    this.error = ExtendedError.none
    this.hasQueriedType = false
    this.#soaTtlAt = -1
    this.end = from
    this.#reader.open(m, o + n, o + from)
    for (let k = 0; k < this.answers; k++) {
      if (!this.#take(o)) return false
      this.#noteAnswer(m, type)
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
    const isNegative = this.rcode === Rcode.noSuchName || !this.hasQueriedType
    let life = maxTtl
    for (let k = 0; k < this.ttlCount; k++) {
      const offset = this.ttlAt[k]!
      const at = o + offset
      let ttl = Math.max(0, (m[at]! << 24) | (m[at + 1]! << 16) | (m[at + 2]! << 8) | m[at + 3]!)
      if (isNegative && offset === this.#soaTtlAt) ttl = Math.min(ttl, this.#soaTtl, maxNegativeTtl)
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
    if (!reader.next() || reader.type === Type.opt || this.ttlCount === maxRecords) return false
    this.ttlAt[this.ttlCount++] = reader.ttlAt - o
    this.end = reader.at - o
    return true
  }

  #noteAnswer(m: Uint8Array, queriedType: number): void {
    const { type, dataAt, dataEnd } = this.#reader
    if (type === queriedType) this.hasQueriedType = true
    if (type === Type.cname) this.hasTargets = true
    // Where the parameters of these begin is known only when their target has been read.
    else if (type === Type.https || type === Type.svcb) this.hasTargets = this.hasPrivate = true
    else if (isPrivateRecord(m, type, dataAt, dataEnd)) this.hasPrivate = true
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
        // The upper bits of an extended response code have no place in the answer to a client.
        if (m[reader.ttlAt] !== 0) this.rcode = Rcode.serverFailure
        this.error = errorIn(m, reader.dataAt, reader.dataEnd)
        return true
      }
      if (reader.type === Type.tsig) return true
      if (this.ttlCount === maxRecords) return false
      this.ttlAt[this.ttlCount++] = reader.ttlAt - o
      this.end = reader.at - o
      this.additionals += 1
    }
    return true
  }
}

/** The code of the first Extended DNS Error among the options m[from..to) of OPT, when it is one of the registered ones. */
function errorIn(m: Uint8Array, from: number, to: number): number {
  for (let at = from; at + 6 <= to;) {
    const isError = m[at] === 0 && m[at + 1] === 15
    if (isError && m[at + 4] === 0) return m[at + 5]!
    at += 4 + ((m[at + 2]! << 8) | m[at + 3]!)
  }
  return ExtendedError.none
}
