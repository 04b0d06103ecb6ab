import { emptyEntry } from './log-note.ts'

/** One query as it goes into the log. All numbers, see `dns/policy/verdict.ts`. */
export interface LogEntry {
  status: number
  reason: number
  /** Rule number or list number, by the reason. */
  source: number
  traits: number
  rcode: number
  /** DNS type. */
  type: number
  /** The peer's number; 0 for an anonymous client. */
  client: number
  /** Milliseconds since the epoch. */
  at: number
  /** Time from the query to the answer, microseconds. */
  micros: number
  /** Number of the upstream that answered, counted from 1; 0 for none. */
  upstream: number
  /** Its first `nameLength` bytes are the name in wire form with its final zero, lower case. */
  name: Uint8Array
  nameLength: number
}

const controlBytes = 64
const Control = { head: 0, tail: 1, lost: 2 } as const
const recordBytes = 32

/** Memory for a ring of so many bytes, a power of two. */
export function createRingMemory(bytes = 8 << 20): SharedArrayBuffer {
  return new SharedArrayBuffer(controlBytes + bytes)
}

/** Returns true if published entries wait in the ring of this memory. */
export function hasEntries(memory: SharedArrayBuffer): boolean {
  const control = new Int32Array(memory, 0, 2)
  return Atomics.load(control, Control.head) !== Atomics.load(control, Control.tail)
}

/**
 * Entries on their way from one thread that answers to the one that writes. Appending allocates nothing and never waits: when
 * the ring is full the entry is dropped and counted.
 */
export class LogRing {
  readonly #control: Int32Array
  readonly #words: Uint32Array
  readonly #timestamps: Float64Array
  readonly #bytes: Uint8Array
  readonly #size: number
  #tail: number
  /** Position of the reader; what lies before is free once it is released. */
  #head: number
  /** End of the entries that were published when it last checked. */
  #end: number
  /** The same object for each entry: reading allocates nothing. */
  readonly #entry = emptyEntry(new Uint8Array(256))

  constructor(memory: SharedArrayBuffer) {
    this.#control = new Int32Array(memory, 0, controlBytes / 4)
    this.#words = new Uint32Array(memory, controlBytes)
    this.#timestamps = new Float64Array(memory, controlBytes)
    this.#bytes = new Uint8Array(memory, controlBytes)
    this.#size = memory.byteLength - controlBytes
    this.#tail = Atomics.load(this.#control, Control.tail)
    this.#head = Atomics.load(this.#control, Control.head)
    this.#end = this.#head
  }

  append(entry: LogEntry): void {
    const { nameLength } = entry
    const size = (recordBytes + nameLength + 7) & ~7
    const at = this.#tail & (this.#size - 1)
    const room = this.#size - at
    const used = (this.#tail - Atomics.load(this.#control, Control.head)) | 0
    if (used + size + (room < size ? room : 0) > this.#size - 64) {
      this.#control[Control.lost]! += 1
      return
    }
    let start = at
    if (room < size) {
      // Size 0: the next entry stands at the ring's beginning.
      this.#words[at >> 2] = 0
      this.#tail = (this.#tail + room) | 0
      start = 0
    }
    const word = start >> 2
    this.#words[word] = size | (nameLength << 16) | (entry.status << 24) | (entry.reason << 28)
    this.#words[word + 1] = entry.type | (entry.rcode << 16) | (entry.traits << 24)
    this.#timestamps[(start >> 3) + 1] = entry.at
    this.#words[word + 4] = entry.client
    this.#words[word + 5] = entry.source
    this.#words[word + 6] = entry.micros
    this.#words[word + 7] = entry.upstream
    const bytes = this.#bytes
    const { name } = entry
    for (let k = 0, to = start + recordBytes; k < nameLength; k++) bytes[to + k] = name[k]!
    this.#tail = (this.#tail + size) | 0
  }

  /** Makes what was appended visible to the reader; once a batch. */
  publish(): void {
    Atomics.store(this.#control, Control.tail, this.#tail)
  }

  /** Passes every published entry to `take`, oldest first, and frees its space. Returns how many there were. */
  drain(take: (entry: LogEntry) => void): number {
    this.refresh()
    const taken = this.read(take)
    this.release()
    return taken
  }

  /**
   * Hands entries that were published when `look` was called to `take`, oldest first, at most so many and none from after `until`
   * (milliseconds since the epoch); their places stay taken until `release`. The entry is one object that is filled again each
   * time. An entry whose `take` threw counts as read.
   */
  read(take: (entry: LogEntry) => void, most = Infinity, until = Infinity): number {
    let taken = 0
    while (this.#head !== this.#end && taken < most) {
      const start = this.#head & (this.#size - 1)
      const first = this.#words[start >> 2]!
      if (first === 0) {
        this.#head = (this.#head + this.#size - start) | 0
        continue
      }
      if (this.#timestamps[(start >> 3) + 1]! > until) break
      this.#head = (this.#head + (first & 0xffff)) | 0
      taken += 1
      this.#fill(start, first)
      take(this.#entry)
    }
    return taken
  }

  /** Updates the end of the published entries. */
  refresh(): void {
    this.#end = Atomics.load(this.#control, Control.tail)
  }

  /** Time of the entry that is read next, milliseconds since the epoch; `Infinity` when there is none. */
  nextAt(): number {
    if (this.#head === this.#end) return Infinity
    const start = this.#head & (this.#size - 1)
    // After the end of the ring there is always an entry at its beginning.
    return this.#words[start >> 2] === 0 ? this.#timestamps[1]! : this.#timestamps[(start >> 3) + 1]!
  }

  /** Frees the places of all entries that were read. */
  release(): void {
    Atomics.store(this.#control, Control.head, this.#head)
  }

  /** Goes back to the oldest entry that was not released: it is read again. */
  rewind(): void {
    this.#head = Atomics.load(this.#control, Control.head)
  }

  /** Bytes of published entries that are not released. */
  waiting(): number {
    return (Atomics.load(this.#control, Control.tail) - Atomics.load(this.#control, Control.head)) | 0
  }

  /** Returns the number of entries dropped since the ring was created. */
  lost(): number {
    return Atomics.load(this.#control, Control.lost)
  }

  #fill(start: number, first: number): void {
    const words = this.#words
    const word = start >> 2
    const entry = this.#entry
    const nameLength = (first >> 16) & 0xff
    entry.status = (first >>> 24) & 15
    entry.reason = first >>> 28
    entry.type = words[word + 1]! & 0xffff
    entry.rcode = (words[word + 1]! >> 16) & 0xff
    entry.traits = words[word + 1]! >>> 24
    entry.at = this.#timestamps[(start >> 3) + 1]!
    entry.client = words[word + 4]!
    entry.source = words[word + 5]!
    entry.micros = words[word + 6]!
    entry.upstream = words[word + 7]!
    entry.nameLength = nameLength
    const { name } = entry
    const bytes = this.#bytes
    for (let k = 0, from = start + recordBytes; k < nameLength; k++) name[k] = bytes[from + k]!
  }
}
