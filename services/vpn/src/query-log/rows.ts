/** Entries in one sealed block of the log; the last ones stand in their own table until they are as many. */
export const blockRows = 8192

/** An entry's number is its millisecond times this, plus a serial: so the order of numbers is the order of writing. */
export const idsPerMillisecond = 2048

/** The columns of a block. A block's column lies in `block_column` under `block * columnsPerBlock + column`. */
export const Column = { ids: 0, names: 1, clients: 2, kinds: 3, micros: 4, times: 5 } as const
export type ColumnNumber = (typeof Column)[keyof typeof Column]
export const columnsPerBlock = 8

/** The time an entry's number stands for, unless the clock was behind it: then the time stands beside. */
export const timeOfId = (id: number): number => Math.floor(id / idsPerMillisecond)

/** The bytes of an array as they lie in the file (little endian, as all machines Node runs on). */
export const bytesOf = (array: Float64Array | Uint32Array | Uint16Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

/** Bytes from the file as numbers of a column; copied when they do not lie on a boundary. */
export function numbersOf<T>(
  bytes: Uint8Array,
  Numbers: { new (buffer: ArrayBufferLike, offset: number, length: number): T; readonly BYTES_PER_ELEMENT: number },
): T {
  const size = Numbers.BYTES_PER_ELEMENT
  const aligned = bytes.byteOffset % size === 0 ? bytes : bytes.slice()
  return new Numbers(aligned.buffer, aligned.byteOffset, Math.floor(aligned.byteLength / size))
}

/** A sealed block, without its columns. */
export interface Block {
  readonly number: number
  /** Grows when entries are taken out. */
  readonly version: number
  readonly rows: number
  readonly first_id: number
  readonly last_id: number
  /** The earliest and the latest time in it, milliseconds since the epoch. */
  readonly first_at: number
  readonly last_at: number
  /** 1 when times stand in their own column. */
  readonly has_times: number
}

/** One entry of the log, all numbers. */
export interface Row {
  readonly id: number
  readonly name: number
  readonly client: number
  readonly kind: number
  readonly micros: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Entries column by column. Numbers grow. */
export class Rows {
  readonly ids: Float64Array
  readonly names: Uint32Array
  readonly clients: Uint32Array
  readonly kinds: Uint16Array
  readonly micros: Uint32Array
  readonly times: Float64Array
  length = 0

  constructor(capacity: number) {
    this.ids = new Float64Array(capacity)
    this.names = new Uint32Array(capacity)
    this.clients = new Uint32Array(capacity)
    this.kinds = new Uint16Array(capacity)
    this.micros = new Uint32Array(capacity)
    this.times = new Float64Array(capacity)
  }

  push(row: Row): void {
    const n = this.length
    this.ids[n] = row.id
    this.names[n] = row.name
    this.clients[n] = row.client
    this.kinds[n] = row.kind
    this.micros[n] = row.micros
    this.times[n] = row.at
    this.length = n + 1
  }

  at(n: number): Row {
    return {
      id: this.ids[n]!,
      name: this.names[n]!,
      client: this.clients[n]!,
      kind: this.kinds[n]!,
      micros: this.micros[n]!,
      at: this.times[n]!,
    }
  }

  /** Keeps the entries `isKept` wants, in their order. Returns how many went. */
  keep(isKept: (n: number) => boolean): number {
    const before = this.length
    let to = 0
    for (let n = 0; n < before; n++) {
      if (!isKept(n)) continue
      this.ids[to] = this.ids[n]!
      this.names[to] = this.names[n]!
      this.clients[to] = this.clients[n]!
      this.kinds[to] = this.kinds[n]!
      this.micros[to] = this.micros[n]!
      this.times[to] = this.times[n]!
      to += 1
    }
    this.length = to
    return before - to
  }
}
