import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { UsedNumbers } from './used-numbers.ts'
import type { LogEntry } from '../dns/log-ring.ts'

/** Numbers of kinds are 16 bits; the last is kept for what finds no number. */
const maxKinds = 65_535
const places = 1 << 18
const maxLabels = 1000

/**
 * All an entry says beside client, name, time and duration: status, reason, source, traits, rcode, type and
 * upstream. Few combinations occur, so an entry holds the number of its combination.
 */
export class InternedKinds {
  readonly #database: DatabaseSync
  readonly #insert: StatementSync
  /** Three words that tell combinations apart, and the number + 1. */
  readonly #slots = new Uint32Array(places * 4)
  readonly #isTaken = new Uint8Array(maxKinds + 1)
  #count = 0
  #next = 0
  /** By the upstream's number in entries, the number of its label. */
  #upstreams: readonly number[] = []
  #labels: readonly string[] = []
  #sweep: UsedNumbers | undefined

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#insert = database.prepare('INSERT INTO kind VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    this.forget()
  }

  /** The number of an entry's combination, now used. `upstreams` has the numbers of labels by those in entries. */
  idOf(entry: LogEntry, upstreams: readonly number[] = this.#upstreams): number {
    const upstream = upstreams[entry.upstream] ?? 0
    let id = this.#idOf(entry, entry.type, upstream)
    // A client tries all types: the entry is kept without its type.
    if (id === undefined) id = this.#idOf(entry, 0, 0) ?? maxKinds
    this.#sweep?.add(id)
    return id
  }

  /** Sets the names of upstreams. */
  name(labels: readonly string[]): void {
    this.#labels = labels
    this.#upstreams = []
  }

  /** Gives the labels of upstreams their numbers; within the transaction of the entries that use them. */
  settle(): void {
    if (this.#upstreams.length > 0 || this.#labels.length === 0) return
    const insert = this.#database.prepare(
      `INSERT INTO upstream (label) SELECT ? WHERE (SELECT count(*) FROM upstream) < ${maxLabels} ON CONFLICT DO NOTHING`,
    )
    const find = this.#database.prepare('SELECT id FROM upstream WHERE label = ?')
    const numberOf = (label: string): number => {
      insert.run(label)
      return (find.get(label) as { id: number } | undefined)?.id ?? 0
    }
    this.#upstreams = [0, ...this.#labels.map(numberOf)]
  }

  /** The numbers of labels that entries of elsewhere name, the first as 1; 0 for one that no upstream here has or had. */
  numbersOf(labels: readonly string[]): readonly number[] {
    this.settle()
    const find = this.#database.prepare('SELECT id FROM upstream WHERE label = ?')
    return [0, ...labels.map((label) => (find.get(label) as { id: number } | undefined)?.id ?? 0)]
  }

  /** The file may have changed under it: reads all combinations again. */
  forget(): void {
    // A table that nothing was written to takes no memory until the first entry.
    if (this.#count > 0) {
      this.#slots.fill(0)
      this.#isTaken.fill(0)
    }
    this.#isTaken[maxKinds] = 1
    this.#count = 0
    this.#next = 0
    this.#upstreams = []
    const rows = this.#database.prepare('SELECT * FROM kind').all() as unknown as KindRow[]
    for (const row of rows) {
      const place = this.#placeOf(wordOf(row), row.source, row.type | (row.upstream << 16))
      this.#take(place, row.id, row)
    }
  }

  noteIn(sweep: UsedNumbers | undefined): void {
    this.#sweep = sweep
  }

  #idOf(entry: LogEntry, type: number, upstream: number): number | undefined {
    const place = this.#placeOf(wordOf(entry), entry.source, type | (upstream << 16))
    const known = this.#slots[place + 3]!
    if (known !== 0) return known - 1
    if (this.#count >= maxKinds - 64 && type !== 0) return undefined
    if (this.#count >= maxKinds) return undefined
    while (this.#isTaken[this.#next] === 1) this.#next = (this.#next + 1) & 0xffff
    const id = this.#next
    const { status, reason, source, traits, rcode } = entry
    this.#insert.run(id, status, reason, source, traits, rcode, type, upstream)
    this.#take(place, id, { ...entry, type, upstream })
    return id
  }

  #take(place: number, id: number, row: Omit<KindRow, 'id'>): void {
    this.#slots[place] = wordOf(row)
    this.#slots[place + 1] = row.source
    this.#slots[place + 2] = row.type | (row.upstream << 16)
    this.#slots[place + 3] = id + 1
    this.#isTaken[id] = 1
    this.#count += 1
  }

  #placeOf(first: number, second: number, third: number): number {
    const slots = this.#slots
    const mixed = Math.imul(first ^ Math.imul(second, 0x9e37_79b1) ^ Math.imul(third, 0x85eb_ca77), 0x7feb_352d)
    let place = ((mixed ^ (mixed >>> 15)) & (places - 1)) * 4
    for (;;) {
      if (slots[place + 3] === 0) return place
      if (slots[place] === first && slots[place + 1] === second >>> 0 && slots[place + 2] === third >>> 0) return place
      place = place + 4 === slots.length ? 0 : place + 4
    }
  }
}

/** A combination as it stands in the file. */
export interface KindRow {
  readonly id: number
  readonly status: number
  readonly reason: number
  readonly source: number
  readonly traits: number
  readonly rcode: number
  readonly type: number
  /** Number of the upstream's label; 0 for none. */
  readonly upstream: number
}

const wordOf = ({ status, reason, traits, rcode }: Omit<KindRow, 'id'>): number =>
  status | (reason << 4) | (traits << 8) | (rcode << 16)
