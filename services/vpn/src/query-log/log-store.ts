import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { InternedKinds } from './interned-kinds.ts'
import { InternedNames } from './interned-names.ts'
import { blockPlaceOf, cutRows, type LateRow, mergeRows, numberRows, rangeOf } from './late-rows.ts'
import { openLogDatabase } from './log-database.ts'
import type { LogEntry } from '../dns/log-ring.ts'
import {
  blockRows,
  bytesOf,
  Column,
  columnsPerBlock,
  idsPerMillisecond,
  numbersOf,
  Rows,
  timeOfId,
  type Block,
  type ColumnNumber,
  type Row,
} from './rows.ts'
import { Reason } from '../dns/policy/verdict.ts'

/** The log's file as the writer has it open. Everything that changes it happens in the caller's transaction. */
export class LogStore {
  readonly database: DatabaseSync
  readonly names: InternedNames
  readonly kinds: InternedKinds
  /** Entries that are in no block yet; the first `#inserted` of them stand in `recent`. */
  #tail = new Rows(blockRows)
  #inserted = 0
  #lastId: number
  readonly #ruleHits = new Map<number, { hits: number; lastAt: number }>()
  readonly #insertRecent: StatementSync
  readonly #insertBlock: StatementSync
  readonly #putColumn: StatementSync
  readonly #countBlock: StatementSync

  constructor(file: string) {
    this.database = openLogDatabase(file)
    const { database } = this
    this.names = new InternedNames(database)
    this.kinds = new InternedKinds(database)
    this.#insertRecent = database.prepare('INSERT INTO recent VALUES (?, ?, ?, ?, ?, ?)')
    this.#insertBlock = database.prepare('INSERT OR REPLACE INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    this.#putColumn = database.prepare('INSERT OR REPLACE INTO block_column VALUES (?, ?)')
    this.#countBlock = database.prepare(
      `INSERT INTO last_block SELECT 1, ifnull(max(number), 0) + 1 FROM block WHERE true
         ON CONFLICT (one) DO UPDATE SET number = max(number + 1, excluded.number) RETURNING number`,
    )
    this.#lastId = this.#greatestId()
    this.reload()
  }

  /** Numbers go on from here: never below one that was assigned, also not after a purge or with a clock set back. */
  get lastId(): number {
    return this.#lastId
  }

  /** Takes one entry in. */
  add(entry: LogEntry): void {
    const id = Math.max(Math.floor(entry.at) * idsPerMillisecond, this.#lastId + 1)
    this.#lastId = id
    const name = this.names.idOf(entry.name, entry.nameLength)
    const { client, micros } = entry
    this.#tail.push({ id, name, client, kind: this.kinds.idOf(entry), micros, at: Math.floor(entry.at) })
    if (this.#tail.length === blockRows) this.#seal()
  }

  /**
   * Takes in entries that were made before others that are here already: each gets its place among those of its time. `upstreams`
   * has the labels that they name, the first as 1. Returns how many found no place: every number of their time and around it is taken.
   */
  insert(entries: readonly LogEntry[], upstreams: readonly string[]): number {
    this.flush()
    const numbers = this.kinds.numbersOf(upstreams)
    const late = entries
      .map((entry): LateRow => {
        const name = this.names.idOf(entry.name, entry.nameLength)
        const { client, micros } = entry
        return { name, client, kind: this.kinds.idOf(entry, numbers), micros, at: Math.floor(entry.at) }
      })
      .toSorted((a, b) => a.at - b.at)
    const [oldest] = late
    if (oldest === undefined) return 0
    // Most batches come after all blocks, of which only the last one matters then.
    const last = this.#lastBlock()
    const blocks = blockPlaceOf(last, oldest) === last.length ? last : this.blocks()
    const places = Map.groupBy(late, (row) => blockPlaceOf(blocks, row))
    const inTail = places.get(blocks.length) ?? []
    places.delete(blocks.length)
    let lost = 0
    for (const [place, rows] of places) lost += this.#insertIntoBlock(blocks, place, rows)
    const { rows } = numberRows(inTail, this.#tail, rangeOf(blocks, blocks.length))
    this.#insertIntoTail(rows)
    this.flush()
    return lost
  }

  /** A rule decided an entry; counted whether the entry is kept or not. */
  countHit(entry: LogEntry): void {
    if (entry.reason !== Reason.rule) return
    const known = this.#ruleHits.get(entry.source)
    if (known === undefined) this.#ruleHits.set(entry.source, { hits: 1, lastAt: entry.at })
    else {
      known.hits += 1
      known.lastAt = Math.max(known.lastAt, entry.at)
    }
  }

  /** Puts what was added since into the file. */
  flush(): void {
    const { length } = this.#tail
    for (let n = this.#inserted; n < length; n++) this.#insertRow(this.#tail.at(n))
    this.#inserted = length
    const upsert = this.database.prepare(
      `INSERT INTO rule_hit VALUES (?, ?, ?) ON CONFLICT (rule) DO UPDATE
         SET hits = hits + excluded.hits, last_at = max(last_at, excluded.last_at)`,
    )
    for (const [rule, { hits, lastAt }] of this.#ruleHits) upsert.run(rule, hits, lastAt)
    this.#ruleHits.clear()
    if (this.names.hasReused) this.database.exec('UPDATE state SET generation = generation + 1')
    this.names.hasReused = false
  }

  /** Reads again what is kept in memory of the file, after a transaction was undone or entries were taken out. */
  reload(): void {
    this.names.forget()
    this.kinds.forget()
    this.#ruleHits.clear()
    this.#tail.length = 0
    for (const { id, client, name, kind, micros, at } of this.recent()) {
      this.#tail.push({ id, name, client, kind, micros, at: at ?? timeOfId(id) })
    }
    this.#inserted = this.#tail.length
  }

  recent(): (Omit<Row, 'at'> & { at: number | null })[] {
    return this.database.prepare('SELECT * FROM recent ORDER BY id').all() as never
  }

  /** All sealed blocks, the oldest entries first. */
  blocks(): Block[] {
    return this.database.prepare('SELECT * FROM block ORDER BY first_id').all() as never
  }

  column(block: Block, column: ColumnNumber): Uint8Array {
    const row = this.database
      .prepare('SELECT data FROM block_column WHERE id = ?')
      .get(block.number * columnsPerBlock + column) as { data: Uint8Array }
    return row.data
  }

  /** All entries of a block. */
  rowsOf(block: Block): Rows {
    const rows = new Rows(block.rows)
    rows.ids.set(numbersOf(this.column(block, Column.ids), Float64Array))
    rows.names.set(numbersOf(this.column(block, Column.names), Uint32Array))
    rows.clients.set(numbersOf(this.column(block, Column.clients), Uint32Array))
    rows.kinds.set(numbersOf(this.column(block, Column.kinds), Uint16Array))
    rows.micros.set(numbersOf(this.column(block, Column.micros), Uint32Array))
    if (block.has_times === 1) rows.times.set(numbersOf(this.column(block, Column.times), Float64Array))
    else for (let n = 0; n < block.rows; n++) rows.times[n] = timeOfId(rows.ids[n]!)
    rows.length = block.rows
    return rows
  }

  /** Writes a block, in place of the one that has its number. */
  putBlock(number: number, version: number, rows: Rows): void {
    const { length } = rows
    const ids = rows.ids.subarray(0, length)
    const times = rows.times.subarray(0, length)
    let hasTimes = 0
    let [firstAt, lastAt] = [Infinity, -Infinity]
    for (let n = 0; n < length; n++) {
      const at = times[n]!
      if (at !== timeOfId(ids[n]!)) hasTimes = 1
      if (at < firstAt) firstAt = at
      if (at > lastAt) lastAt = at
    }
    this.#insertBlock.run(number, version, length, ids[0]!, ids[length - 1]!, firstAt, lastAt, hasTimes)
    const base = number * columnsPerBlock
    this.#putColumn.run(base + Column.ids, bytesOf(ids))
    this.#putColumn.run(base + Column.names, bytesOf(rows.names.subarray(0, length)))
    this.#putColumn.run(base + Column.clients, bytesOf(rows.clients.subarray(0, length)))
    this.#putColumn.run(base + Column.kinds, bytesOf(rows.kinds.subarray(0, length)))
    this.#putColumn.run(base + Column.micros, bytesOf(rows.micros.subarray(0, length)))
    if (hasTimes === 1) this.#putColumn.run(base + Column.times, bytesOf(times))
  }

  removeBlock(number: number): void {
    const base = number * columnsPerBlock
    this.database.prepare('DELETE FROM block WHERE number = ?').run(number)
    this.database.prepare('DELETE FROM block_column WHERE id BETWEEN ? AND ?').run(base, base + columnsPerBlock - 1)
  }

  /** Before entries go: their numbers are not reused. */
  rememberLastId(): void {
    this.database.prepare('UPDATE state SET last_id = max(last_id, ?)').run(this.#lastId)
  }

  close(): void {
    this.database.close()
  }

  /** The block with the youngest entries; empty when there is none. */
  #lastBlock(): Block[] {
    return this.database.prepare('SELECT * FROM block ORDER BY first_id DESC LIMIT 1').all() as never
  }

  /** Returns how many found no place. */
  #insertIntoBlock(blocks: readonly Block[], place: number, late: readonly LateRow[]): number {
    const block = blocks[place]
    if (block === undefined) return late.length
    const known = this.rowsOf(block)
    const { rows, lost } = numberRows(late, known, rangeOf(blocks, place))
    const [first, ...more] = cutRows(mergeRows(known, rows), blockRows)
    if (first !== undefined) this.putBlock(block.number, block.version + 1, first)
    for (const part of more) this.putBlock(this.#nextBlock(), 1, part)
    return lost
  }

  #insertIntoTail(late: readonly Row[]): void {
    if (late.length === 0) return
    const merged = mergeRows(this.#tail, late)
    this.#lastId = Math.max(this.#lastId, merged.ids[merged.length - 1]!)
    if (merged.length < blockRows) {
      for (const row of late) this.#insertRow(row)
      this.#useTail(merged, merged.length)
      return
    }
    const parts = cutRows(merged, blockRows - 1)
    const open = parts.pop()
    for (const part of parts) this.putBlock(this.#nextBlock(), 1, part)
    this.database.exec('DELETE FROM recent')
    this.#useTail(open ?? new Rows(0), 0)
  }

  /** Has these entries in no block yet; the first so many stand in `recent`. */
  #useTail(rows: Rows, inserted: number): void {
    this.#tail = new Rows(blockRows)
    for (let n = 0; n < rows.length; n++) this.#tail.push(rows.at(n))
    this.#inserted = inserted
  }

  #insertRow({ id, client, name, kind, micros, at }: Row): void {
    this.#insertRecent.run(id, client, name, kind, micros, at === timeOfId(id) ? null : at)
  }

  /** Never one that a block had before: readers keep columns by it. */
  #nextBlock(): number {
    const { number } = this.#countBlock.get() as { number: number }
    return number
  }

  #seal(): void {
    this.putBlock(this.#nextBlock(), 1, this.#tail)
    this.database.exec('DELETE FROM recent')
    this.#tail.length = 0
    this.#inserted = 0
  }

  #greatestId(): number {
    const { id } = this.database
      .prepare(
        `SELECT max(last_id, ifnull((SELECT max(id) FROM recent), 0),
           ifnull((SELECT max(last_id) FROM block), 0)) AS id FROM state`,
      )
      .get() as { id: number }
    return id
  }
}
