import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  blockRows,
  Column,
  columnsPerBlock,
  numbersOf,
  Rows,
  timeOfId,
  type Block,
  type ColumnNumber,
  type Row,
} from './rows.ts'
import type { KindRow } from './interned-kinds.ts'
import { NameTexts } from './name-texts.ts'

/** Bytes of columns that are kept in memory; about six million entries by client, kind and name. */
const cacheBytes = 64 << 20
/** Columns that filters need; the others are only read for a page. */
const keptColumns: ReadonlySet<ColumnNumber> = new Set([Column.names, Column.clients, Column.kinds])

/** A part of the log as it is searched: a sealed block, or the entries that are in none yet. */
export interface Segment {
  readonly rows: number
  readonly firstId: number
  readonly lastId: number
  readonly firstAt: number
  readonly lastAt: number
  /** Version of a sealed block, for caches of what was found in it; undefined while it grows. */
  readonly key: string | undefined
  ids(): Float64Array
  names(): Uint32Array
  clients(): Uint32Array
  kinds(): Uint16Array
  micros(): Uint32Array
  /** The time of each position, milliseconds since the epoch. */
  times(): (position: number) => number
}

/** A peer as the log knows it: its number, id, name and addresses. */
export interface ClientRow {
  readonly number: number
  readonly peer: string
  readonly name: string
  readonly addresses: string
}

/** The log as it stands within one transaction. */
export interface LogView {
  readonly database: DatabaseSync
  /** Newest first. */
  readonly segments: readonly Segment[]
  /** By number. */
  readonly kinds: readonly (KindRow | undefined)[]
  readonly names: NameTexts
  /** Grows when numbers of names or kinds may mean something else. */
  readonly generation: number
  clients(): readonly ClientRow[]
}

type RecentRow = Omit<Row, 'at'> & { readonly at: number | null }

interface Cached {
  readonly version: number
  readonly data: Uint8Array
}

/** The log's file, read only. A file that is not there is an empty log; one that was replaced is opened again. */
export class LogFile {
  readonly #file: string
  #database: DatabaseSync | undefined
  #inode = 0
  #generation = -1
  #names: NameTexts | undefined
  #kinds: (KindRow | undefined)[] = []
  #kindCount = 0
  readonly #columns = new Map<number, Cached>()
  #cachedBytes = 0
  #selectColumn: StatementSync | undefined
  /** The entries that are in no block, as they were found last; good while the newest block is the same. */
  readonly #recent = new Rows(blockRows)
  #recentAfter = ''

  constructor(file: string) {
    this.#file = file
  }

  /** Examines the log as it stands now, in one transaction; undefined when there is none. */
  withView<T>(act: (view: LogView) => T): T | undefined {
    const database = this.#open()
    if (database === undefined) return undefined
    database.exec('BEGIN')
    try {
      return act(this.#view(database))
    } finally {
      database.exec('ROLLBACK')
    }
  }

  close(): void {
    this.#database?.close()
    this.#database = undefined
    this.#generation = -1
    this.#recentAfter = ''
    this.#columns.clear()
    this.#cachedBytes = 0
  }

  #open(): DatabaseSync | undefined {
    const found = statSync(this.#file, { throwIfNoEntry: false })
    if (found === undefined || found.ino !== this.#inode) this.close()
    if (found === undefined || found.size === 0) return undefined
    if (this.#database === undefined) {
      this.#database = new DatabaseSync(this.#file, { readOnly: true, timeout: 1000 })
      this.#inode = found.ino
      this.#database.exec('PRAGMA cache_size = -4000')
      this.#selectColumn = this.#database.prepare('SELECT data FROM block_column WHERE id = ?')
    }
    return this.#database
  }

  #view(database: DatabaseSync): LogView {
    const { generation } = database.prepare('SELECT generation FROM state').get() as { generation: number }
    if (generation !== this.#generation || this.#names === undefined) {
      this.#names = new NameTexts()
      this.#kinds = []
      this.#kindCount = 0
      this.#generation = generation
    }
    this.#names.use(database)
    this.#readKinds(database)
    const blocks = database.prepare('SELECT * FROM block ORDER BY first_id DESC').all() as unknown as Block[]
    this.#forgetColumns(blocks)
    this.#readRecent(database, `${generation} ${blocks[0]?.number}`)
    const recent = this.#recent.length === 0 ? [] : [recentSegment(this.#recent)]
    return {
      database,
      generation,
      names: this.#names,
      kinds: this.#kinds,
      segments: [...recent, ...blocks.map((block) => this.#segment(block))],
      clients: () => database.prepare('SELECT * FROM client').all() as unknown as ClientRow[],
    }
  }

  /** Reads what came since; everything when the entries that were known may be gone, or others stand between them. */
  #readRecent(database: DatabaseSync, after: string): void {
    const known = this.#recent
    if (after !== this.#recentAfter) known.length = 0
    this.#recentAfter = after
    this.#readRecentAfter(database, known.length === 0 ? -1 : known.ids[known.length - 1]!)
    const { count } = database.prepare('SELECT count(*) AS count FROM recent').get() as { count: number }
    if (count === known.length) return
    known.length = 0
    this.#readRecentAfter(database, -1)
  }

  #readRecentAfter(database: DatabaseSync, last: number): void {
    const found = database.prepare('SELECT * FROM recent WHERE id > ? ORDER BY id').all(last)
    for (const { id, client, name, kind, micros, at } of found as unknown as RecentRow[]) {
      this.#recent.push({ id, client, name, kind, micros, at: at ?? timeOfId(id) })
    }
  }

  #readKinds(database: DatabaseSync): void {
    const { count } = database.prepare('SELECT count(*) AS count FROM kind').get() as { count: number }
    if (count === this.#kindCount) return
    this.#kinds = []
    for (const row of database.prepare('SELECT * FROM kind').all() as unknown as KindRow[]) this.#kinds[row.id] = row
    this.#kindCount = count
  }

  #segment(block: Block): Segment {
    const ids = () => numbersOf(this.#column(block, Column.ids), Float64Array)
    const times = () => {
      if (block.has_times === 1) {
        const column = numbersOf(this.#column(block, Column.times), Float64Array)
        return (position: number) => column[position]!
      }
      const column = ids()
      return (position: number) => timeOfId(column[position]!)
    }
    return {
      rows: block.rows,
      firstId: block.first_id,
      lastId: block.last_id,
      firstAt: block.first_at,
      lastAt: block.last_at,
      key: `${block.number}.${block.version}`,
      ids,
      names: () => numbersOf(this.#column(block, Column.names), Uint32Array),
      clients: () => numbersOf(this.#column(block, Column.clients), Uint32Array),
      kinds: () => numbersOf(this.#column(block, Column.kinds), Uint16Array),
      micros: () => numbersOf(this.#column(block, Column.micros), Uint32Array),
      times,
    }
  }

  #column(block: Block, column: ColumnNumber): Uint8Array {
    const id = block.number * columnsPerBlock + column
    const cached = this.#columns.get(id)
    if (cached?.version === block.version) return cached.data
    const { data } = this.#selectColumn!.get(id) as { data: Uint8Array }
    if (keptColumns.has(column) && this.#cachedBytes + data.byteLength <= cacheBytes) {
      this.#columns.set(id, { version: block.version, data })
      this.#cachedBytes += data.byteLength
    }
    return data
  }

  /** Forgets cached columns of blocks that are gone or changed. */
  #forgetColumns(blocks: readonly Block[]): void {
    if (this.#columns.size === 0) return
    const versions = new Map(blocks.map(({ number, version }) => [number, version]))
    for (const [id, { version, data }] of this.#columns) {
      if (versions.get(Math.floor(id / columnsPerBlock)) === version) continue
      this.#columns.delete(id)
      this.#cachedBytes -= data.byteLength
    }
  }
}

function recentSegment(rows: Rows): Segment {
  const within = rows.times.subarray(0, rows.length)
  return {
    rows: rows.length,
    firstId: rows.ids[0]!,
    lastId: rows.ids[rows.length - 1]!,
    firstAt: within.reduce((least, at) => Math.min(least, at), Infinity),
    lastAt: within.reduce((most, at) => Math.max(most, at), -Infinity),
    key: undefined,
    ids: () => rows.ids,
    names: () => rows.names,
    clients: () => rows.clients,
    kinds: () => rows.kinds,
    micros: () => rows.micros,
    times: () => (position) => rows.times[position]!,
  }
}
