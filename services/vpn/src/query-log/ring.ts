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
  /** The peer's number; 0 for someone who is not to be known. */
  client: number
  /** Milliseconds since the epoch. */
  at: number
  /** From the query to the answer, microseconds. */
  micros: number
  /** Which upstream answered, counted from 1; 0 for none. */
  upstream: number
  /** The name in wire form with its final zero, lower case. */
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

/**
 * Entries on their way from one thread that answers to the one that writes. Appending allocates nothing and never waits: when
 * the ring is full the entry is dropped and counted.
 */
export class LogRing {
  readonly #control: Int32Array
  readonly #words: Uint32Array
  readonly #moments: Float64Array
  readonly #bytes: Uint8Array
  readonly #size: number
  #tail: number

  constructor(memory: SharedArrayBuffer) {
    this.#control = new Int32Array(memory, 0, controlBytes / 4)
    this.#words = new Uint32Array(memory, controlBytes)
    this.#moments = new Float64Array(memory, controlBytes)
    this.#bytes = new Uint8Array(memory, controlBytes)
    this.#size = memory.byteLength - controlBytes
    this.#tail = Atomics.load(this.#control, Control.tail)
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
    this.#moments[(start >> 3) + 1] = entry.at
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

  /** Hands every published entry to `take`, oldest first. Returns how many there were. */
  drain(take: (entry: LogEntry) => void): number {
    const tail = Atomics.load(this.#control, Control.tail)
    let head = Atomics.load(this.#control, Control.head)
    let taken = 0
    while (head !== tail) {
      const start = head & (this.#size - 1)
      const first = this.#words[start >> 2]!
      if (first === 0) {
        head = (head + this.#size - start) | 0
        continue
      }
      take(this.#read(start, first))
      taken += 1
      head = (head + (first & 0xffff)) | 0
      Atomics.store(this.#control, Control.head, head)
    }
    Atomics.store(this.#control, Control.head, head)
    return taken
  }

  /** How many entries found no room since the ring was made. */
  lost(): number {
    return Atomics.load(this.#control, Control.lost)
  }

  #read(start: number, first: number): LogEntry {
    const words = this.#words
    const word = start >> 2
    const nameLength = (first >> 16) & 0xff
    return {
      status: (first >>> 24) & 15,
      reason: first >>> 28,
      type: words[word + 1]! & 0xffff,
      rcode: (words[word + 1]! >> 16) & 0xff,
      traits: words[word + 1]! >>> 24,
      at: this.#moments[(start >> 3) + 1]!,
      client: words[word + 4]!,
      source: words[word + 5]!,
      micros: words[word + 6]!,
      upstream: words[word + 7]!,
      name: this.#bytes.subarray(start + recordBytes, start + recordBytes + nameLength),
      nameLength,
    }
  }
}
