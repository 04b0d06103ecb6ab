import type { AliasChain } from './alias-chain.ts'
import { RecordWord } from './policy/record-layout.ts'
import type { RecordTable } from './policy/record-table.ts'
import { RecordCopy, type CopiedRecords } from './wire/record-copy.ts'
import { writeRecordHead } from './wire/record-head.ts'
import type { Question } from './wire/question.ts'

const headerBytes = 12
/** Size of a record without its data, whose owner is a pointer. */
const headBytes = 12

/** An answer that came from an upstream or the cache, for the last name of a chain. */
export interface ChainedAnswer {
  readonly answers: number
  readonly authorities: number
}

/** Writes local records behind a question that stands in a message already; the caller sees to the header's bits and to OPT. */
export class RecordWriter {
  /** Numbers of answers and authorities that were written. */
  answers = 0
  authorities = 0
  readonly #copy = new RecordCopy()
  #out: Uint8Array = new Uint8Array(0)
  #start = 0
  #at = 0
  #limit = 0
  #table: RecordTable | undefined
  /** Position of the name that the next record is about, counted from the message's start. */
  #owner = headerBytes

  /** Starts behind the question of the message at out[start ..]; nothing is written behind out[limit]. */
  begin(table: RecordTable, out: Uint8Array, question: Question, start: number, limit: number): void {
    this.#table = table
    this.#out = out
    this.#start = start
    this.#at = start + question.end
    this.#limit = limit
    this.#owner = headerBytes
    this.answers = 0
    this.authorities = 0
  }

  /** Position of the last name, for records that follow. */
  get owner(): number {
    return this.#owner
  }

  /** Writes the CNAME records of a chain. Returns the position behind them, or -1 when they do not fit. */
  chain({ aliases, count }: AliasChain): number {
    for (let k = 0; k < count; k++) {
      const dataAt = this.#at + headBytes - this.#start
      if (!this.#record(aliases[k]!)) return -1
      this.#owner = dataAt
    }
    return this.#at
  }

  /** Position behind what was written. */
  get at(): number {
    return this.#at
  }

  /** Writes so many records from this position of a table on. Returns the position behind them, or -1. */
  records(table: RecordTable, first: number, count: number): number {
    this.#table = table
    for (let k = 0; k < count; k++) if (!this.#record(first + k * RecordWord.count)) return -1
    return this.#at
  }

  /**
   * Writes answers and authorities of another message; `asked` is its question. With a network IPv4 addresses become addresses
   * in there. Returns the position behind them, or -1.
   */
  copy(asked: Question, body: ChainedAnswer, from: CopiedRecords, network: Uint8Array | undefined): number {
    const copy = this.#copy
    copy.network = network
    const { known } = copy
    known.length = asked.name.length
    for (let k = 0; k < known.length; k++) known.bytes[k] = asked.name.bytes[k]!
    copy.knownAt = this.#owner
    from.count = body.answers + body.authorities
    const at = copy.copy(from, this.#out, this.#at, this.#limit)
    this.answers += body.answers
    this.authorities += body.authorities
    return at
  }

  #record(at: number): boolean {
    const table = this.#table
    if (table === undefined) return false
    const { words, bytes } = table
    const out = this.#out
    const length = words[at + RecordWord.dataLength]!
    if (this.#at + headBytes + length > this.#limit) return false
    out[this.#at] = 0xc0 | (this.#owner >> 8)
    out[this.#at + 1] = this.#owner
    let to = writeRecordHead(out, this.#at + 2, words[at + RecordWord.type]!, words[at + RecordWord.ttl]!, length)
    for (let k = 0, from = words[at + RecordWord.dataAt]!; k < length; k++) out[to++] = bytes[from + k]!
    this.#at = to
    this.answers += 1
    return true
  }
}
