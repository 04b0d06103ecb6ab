import { Type } from './codes.ts'
import { Name, readName } from './name.ts'
import { writeRecordHead } from './record-head.ts'
import { RecordReader } from './record-reader.ts'

/** What is copied: records of the message m[o .. o + n), from m[from] on. */
export interface CopiedRecords {
  m: Uint8Array
  o: number
  n: number
  from: number
  count: number
}

/** Seconds for which a translated address may be kept: the name may get one of its own (RFC 6147 5.1.7). */
const maxTranslatedTtl = 600

/** Bytes before the names in the data of types whose names may be compressed (RFC 3597 4), and the number of names. */
const prefix = (type: number): number => (type === Type.mx ? 2 : type === Type.srv ? 6 : 0)
const namesIn = (type: number): number => {
  if (type === Type.soa) return 2
  const isName = type === Type.cname || type === Type.ns || type === Type.ptr || type === Type.dname
  return isName || type === Type.mx || type === Type.srv ? 1 : 0
}

/**
 * Copies records out of one message into another, whose names stand elsewhere: names are written out. The name they are most
 * often about may be one the other message has already.
 */
export class RecordCopy {
  /** A name in wire form, and the position in the other message where it stands, counted from its start. */
  readonly known = new Name()
  knownAt = 0
  /** Network of 12 bytes in which IPv4 addresses become IPv6 addresses (RFC 6052); undefined: they stay what they are. */
  network: Uint8Array | undefined
  readonly #reader = new RecordReader()
  readonly #name = new Name()

  /** Writes them to out[at .. limit); returns the position behind them, or -1 when they do not fit or cannot be read. */
  copy({ m, o, n, from, count }: CopiedRecords, out: Uint8Array, at: number, limit: number): number {
    const reader = this.#reader
    reader.open(m, o + n, from)
    let to = at
    for (let k = 0; k < count && to >= 0; k++) {
      if (!reader.next() || readName(this.#name, m, o, o + n, reader.nameAt) < 0) return -1
      to = this.#owner(out, to, limit)
      if (to >= 0) to = this.#data(m, o, out, to, limit)
    }
    return to
  }

  #owner(out: Uint8Array, at: number, limit: number): number {
    if (!this.#isKnown()) return this.#write(out, at, limit)
    if (at + 2 > limit) return -1
    out[at] = 0xc0 | (this.knownAt >> 8)
    out[at + 1] = this.knownAt
    return at + 2
  }

  #data(m: Uint8Array, o: number, out: Uint8Array, at: number, limit: number): number {
    const { type, ttl, dataAt, dataEnd } = this.#reader
    if (type === Type.a && this.network !== undefined) return this.#address(m, out, at, limit)
    const names = namesIn(type)
    let to = at + 10
    let from = dataAt
    const raw = names === 0 ? dataEnd - dataAt : prefix(type)
    if (dataAt + raw > dataEnd || to + raw > limit) return -1
    for (let k = 0; k < raw; k++) out[to++] = m[from++]!
    for (let k = 0; k < names; k++) {
      from = readName(this.#name, m, o, dataEnd, from)
      if (from < 0) return -1
      to = this.#write(out, to, limit)
      if (to < 0) return -1
    }
    if (to + dataEnd - from > limit) return -1
    while (from < dataEnd) out[to++] = m[from++]!
    writeRecordHead(out, at, type, ttl, to - at - 10)
    return to
  }

  /** An A record, as the AAAA record that a translator of addresses understands. */
  #address(m: Uint8Array, out: Uint8Array, at: number, limit: number): number {
    const { ttl, dataAt, dataEnd } = this.#reader
    const network = this.network!
    const end = at + 10 + 16
    if (dataEnd - dataAt !== 4 || end > limit) return -1
    for (let k = 0; k < 12; k++) out[at + 10 + k] = network[k]!
    for (let k = 0; k < 4; k++) out[at + 22 + k] = m[dataAt + k]!
    writeRecordHead(out, at, Type.aaaa, Math.min(ttl, maxTranslatedTtl), 16)
    return end
  }

  #write(out: Uint8Array, at: number, limit: number): number {
    const { bytes, length } = this.#name
    if (at + length > limit) return -1
    for (let k = 0; k < length; k++) out[at + k] = bytes[k]!
    return at + length
  }

  #isKnown(): boolean {
    const { known } = this
    const name = this.#name
    if (known.length !== name.length) return false
    for (let k = 0; k < name.length; k++) if (known.bytes[k] !== name.bytes[k]) return false
    return true
  }
}
