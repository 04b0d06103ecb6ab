import { skipName } from './name.ts'

/** Goes through the records of a message, one after another, where they lie. */
export class RecordReader {
  /** Position of the record in the array; `at` is that of the next one. */
  nameAt = 0
  at = 0
  type = 0
  /** Position of its TTL. */
  ttlAt = 0
  /** Seconds; 0 for a TTL with the highest bit set (RFC 2181 8). */
  ttl = 0
  dataAt = 0
  dataEnd = 0
  #m: Uint8Array = new Uint8Array(0)
  #end = 0

  /** Starts at m[at]; the message ends at m[end]. */
  open(m: Uint8Array, end: number, at: number): void {
    this.#m = m
    this.#end = end
    this.at = at
  }

  /** Takes the next record; false when there is no whole one. */
  next(): boolean {
    const m = this.#m
    const at = skipName(m, this.at, this.#end)
    if (at < 0 || at + 10 > this.#end) return false
    this.nameAt = this.at
    this.type = (m[at]! << 8) | m[at + 1]!
    this.ttlAt = at + 4
    this.ttl = Math.max(0, (m[at + 4]! << 24) | (m[at + 5]! << 16) | (m[at + 6]! << 8) | m[at + 7]!)
    this.dataAt = at + 10
    this.dataEnd = at + 10 + ((m[at + 8]! << 8) | m[at + 9]!)
    if (this.dataEnd > this.#end) return false
    this.at = this.dataEnd
    return true
  }
}
