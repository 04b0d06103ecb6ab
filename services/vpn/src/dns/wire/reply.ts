import { ExtendedError, Rcode, Type, udpSize } from './codes.ts'
import { wireName } from './wire-name.ts'
import type { Question } from './question.ts'
import { writeRecordHead } from './record-head.ts'

/** The end of an SOA record that stands for no zone: its names, serial, refresh, retry and expire, all 0; the minimum follows. */
const soaStart = Uint8Array.from([
  ...wireName('hearth.invalid')!,
  ...wireName('nobody.invalid')!,
  ...new Uint8Array(16),
])

/** Bytes of the record that `Reply.authority` writes. */
export const authorityBytes = 12 + soaStart.length + 4

/** More than any answer takes that is made here: question, one record and OPT. */
export const maxReplyBytes = 480

/** Section of a record; the position of its count in the header. */
export const Section = { answer: 7, authority: 9 } as const

/** Answer to a query of type ANY (RFC 8482). */
const rfc8482 = Uint8Array.from([7, 82, 70, 67, 56, 52, 56, 50, 0])

/** Writes an answer of our own to a question, piece by piece: `begin`, at most one record, `finish`. */
export class Reply {
  out: Uint8Array = new Uint8Array(0)
  /** Start of the message, and position of its next byte. */
  start = 0
  at = 0

  /** Header and question, as the client wrote it. RA is set, AA is not. */
  begin(question: Question, rcode: number, out: Uint8Array, start: number): void {
    const { message, at, end } = question
    for (let k = 0; k < end; k++) out[start + k] = message[at + k]!
    out[start + 2] = 0x80 | (message[at + 2]! & 0x79)
    out[start + 3] = 0x80 | (message[at + 3]! & 0x10) | (rcode & 15)
    for (let k = 4; k < 12; k++) out[start + k] = 0
    out[start + 5] = end > 12 ? 1 : 0
    this.out = out
    this.start = start
    this.at = start + end
  }

  /** The answer comes from a zone of this resolver's own. */
  authoritative(): void {
    this.out[this.start + 2]! |= 4
  }

  /** The answer is longer than what the client takes: it shall query by TCP. */
  truncate(): void {
    this.out[this.start + 2]! |= 2
  }

  /** An answer record about the queried name. */
  answer(type: number, ttl: number, data: Uint8Array): void {
    this.record(Section.answer, 12, type, ttl, data)
  }

  /** The one record of this section; its owner's name stands in the question, `owner` bytes behind the message's start. */
  record(section: number, owner: number, type: number, ttl: number, data: Uint8Array): void {
    this.out[this.start + section] = 1
    this.#head(type, ttl, data.length, owner)
    for (let k = 0; k < data.length; k++) this.out[this.at++] = data[k]!
  }

  /** The one record for questions of type ANY. */
  answerAny(ttl: number): void {
    this.answer(Type.hinfo, ttl, rfc8482)
  }

  /** In the authority section: how long it counts that there is nothing (RFC 2308); the owner's name stands so many bytes behind the message's start. */
  authority(ttl: number, owner = 12): void {
    this.out[this.start + 9] = 1
    this.#head(Type.soa, ttl, soaStart.length + 4, owner)
    for (let k = 0; k < soaStart.length; k++) this.out[this.at++] = soaStart[k]!
    this.#word(ttl)
  }

  /** Writes OPT when the query had one, with an Extended DNS Error if there is one. Returns the answer's length. */
  finish(question: Question, rcode: number, error: number, text: Uint8Array | undefined): number {
    if (!question.hasOpt) return this.at - this.start
    this.at = writeOpt(this.out, this.at, question.dnssecOk, rcode >> 4)
    this.#countAdditional()
    if (error !== ExtendedError.none) {
      const { out } = this
      const length = text === undefined ? 0 : text.length
      out[this.at - 1] = 6 + length
      out[this.at] = 0
      out[this.at + 1] = 15
      out[this.at + 2] = 0
      out[this.at + 3] = 2 + length
      out[this.at + 4] = 0
      out[this.at + 5] = error
      this.at += 6
      for (let k = 0; k < length; k++) out[this.at++] = text![k]!
    }
    return this.at - this.start
  }

  #countAdditional(): void {
    const { out, start } = this
    const count = ((out[start + 10]! << 8) | out[start + 11]!) + 1
    out[start + 10] = count >> 8
    out[start + 11] = count
  }

  /** A record's head; the owner's name stands so many bytes behind the message's start. */
  #head(type: number, ttl: number, size: number, owner: number): void {
    const { out, at } = this
    out[at] = 0xc0 | (owner >> 8)
    out[at + 1] = owner
    this.at = writeRecordHead(out, at + 2, type, ttl, size)
  }

  #word(value: number): void {
    const { out, at } = this
    out[at] = value >>> 24
    out[at + 1] = value >>> 16
    out[at + 2] = value >>> 8
    out[at + 3] = value
    this.at = at + 4
  }
}

/** Writes an OPT record without options (11 bytes) and returns where it ends. */
export function writeOpt(out: Uint8Array, at: number, dnssecOk: boolean, extendedRcode: number): number {
  out[at] = 0
  out[at + 1] = 0
  out[at + 2] = Type.opt
  out[at + 3] = udpSize >> 8
  out[at + 4] = udpSize & 255
  out[at + 5] = extendedRcode
  out[at + 6] = 0
  out[at + 7] = dnssecOk ? 0x80 : 0
  out[at + 8] = 0
  out[at + 9] = 0
  out[at + 10] = 0
  return at + 11
}

/** Settings of the answer to a blocked question. */
export interface BlockAnswer {
  readonly blockMode: 'zero_ip' | 'nxdomain' | 'refused' | 'custom_ip'
  readonly customIpv4: Uint8Array | undefined
  readonly customIpv6: Uint8Array | undefined
  readonly blockTtl: number
}

const zero4 = new Uint8Array(4)
const zero6 = new Uint8Array(16)

/** The response code of a blocked answer. */
export const blockRcode = (mode: BlockAnswer['blockMode']): number =>
  mode === 'nxdomain' ? Rcode.noSuchName : mode === 'refused' ? Rcode.refused : Rcode.noError

/** After `begin`: the record that a blocked question gets. There is always one that says how long it counts, but for refusals. */
export function writeBlocked(reply: Reply, type: number, settings: BlockAnswer): void {
  const { blockMode, blockTtl } = settings
  if (blockMode === 'refused') return
  let data: Uint8Array | undefined
  if (type === Type.a)
    data = blockMode === 'zero_ip' ? zero4 : blockMode === 'custom_ip' ? settings.customIpv4 : undefined
  if (type === Type.aaaa) {
    data = blockMode === 'zero_ip' ? zero6 : blockMode === 'custom_ip' ? settings.customIpv6 : undefined
  }
  if (data === undefined) reply.authority(blockTtl)
  else reply.answer(type, blockTtl, data)
}
