import { reuseFrom } from './interned-names.ts'
import type { LogStore } from './log-store.ts'
import { Column, numbersOf, type Block } from './rows.ts'
import { UsedNumbers } from './used-numbers.ts'

/** A purge: of entries before a time (milliseconds since the epoch), of one client or of all (null). */
export interface Forgetting {
  readonly before: number
  readonly client: number | null
}

/** Work in bites: what happens between two yields is one transaction. Ends with how many entries went. */
export type Upkeep = Generator<undefined, number>

const blocksPerBite = 16
const blocksPerRead = 256
const namesPerBite = 4000

/**
 * Takes entries out of the file, then the names, kinds and clients that no entry names any more. Each entry goes by its own time:
 * a clock that was wrong for a while dates some of them, and says nothing about those beside them.
 */
export function* forget(store: LogStore, { before, client }: Forgetting, currentClients: () => Set<number>): Upkeep {
  store.rememberLastId()
  let removed = 0
  let bite = 0
  for (const block of store.blocks()) {
    if (client === null && block.last_at < before) {
      store.removeBlock(block.number)
      removed += block.rows
    } else if (block.first_at < before) removed += trim(store, block, { before, client })
    else continue
    bite += 1
    if (bite % blocksPerBite === 0) yield
  }
  removed += forgetRecent(store, { before, client })
  yield
  if (removed > 0) yield* sweep(store, currentClients)
  return removed
}

function trim(store: LogStore, block: Block, { before, client }: Forgetting): number {
  if (client !== null && !numbersOf(store.column(block, Column.clients), Uint32Array).includes(client)) return 0
  const rows = store.rowsOf(block)
  const gone = rows.keep((n) => rows.times[n]! >= before || (client !== null && rows.clients[n] !== client))
  if (gone === 0) return 0
  store.removeBlock(block.number)
  if (rows.length > 0) store.putBlock(block.number, block.version + 1, rows)
  return gone
}

function forgetRecent(store: LogStore, { before, client }: Forgetting): number {
  const { changes } = store.database
    .prepare('DELETE FROM recent WHERE ifnull(at, id / 2048) < ?1 AND (?2 IS NULL OR client = ?2)')
    .run(before, client)
  if (Number(changes) === 0) return 0
  store.reload()
  // Readers know them.
  store.database.exec('UPDATE state SET generation = generation + 1')
  return Number(changes)
}

/** Numbers that entries use; recorded while they are read and while new ones come. */
interface Used {
  readonly names: UsedNumbers
  readonly kinds: UsedNumbers
  readonly clients: Set<number>
}

function* sweep(store: LogStore, currentClients: () => Set<number>): Generator<undefined, void> {
  const used: Used = { names: new UsedNumbers(1 << 20), kinds: new UsedNumbers(1 << 16), clients: new Set() }
  store.names.noteIn(used.names)
  store.kinds.noteIn(used.kinds)
  try {
    yield* look(store, used)
    yield* sweepNames(store, used.names)
    sweepRest(store, used, currentClients())
    yield
  } finally {
    store.names.noteIn(undefined)
    store.kinds.noteIn(undefined)
  }
}

/** Records the numbers that stored entries use. Entries written meanwhile are recorded as they come. */
function* look(store: LogStore, used: Used): Generator<undefined, void> {
  for (const { name, kind, client } of store.recent()) {
    used.names.add(name)
    used.kinds.add(kind)
    used.clients.add(client)
  }
  const blocks = store.blocks()
  for (const [index, block] of blocks.entries()) {
    for (const name of numbersOf(store.column(block, Column.names), Uint32Array)) used.names.add(name)
    for (const kind of numbersOf(store.column(block, Column.kinds), Uint16Array)) used.kinds.add(kind)
    for (const client of new Set(numbersOf(store.column(block, Column.clients), Uint32Array))) used.clients.add(client)
    if (index % blocksPerRead === blocksPerRead - 1) yield
  }
}

/** A name is overwritten before it is deleted, so that nothing of it is left in the file. */
function* sweepNames(store: LogStore, used: UsedNumbers): Generator<undefined, void> {
  const { database, names } = store
  names.forget()
  const page = database.prepare('SELECT id, length(text) AS length FROM name WHERE id > ? ORDER BY id LIMIT ?')
  const overwrite = database.prepare('UPDATE name SET text = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM name WHERE id = ?')
  const free: number[] = []
  const { greatest } = database.prepare('SELECT max(id) AS greatest FROM name').get() as { greatest: number | null }
  const maxFree = (greatest ?? 0) < reuseFrom ? 0 : 1 << 20
  for (let last = 0; ;) {
    const rows = page.all(last, namesPerBite) as unknown as { id: number; length: number }[]
    if (rows.length === 0) break
    for (const { id, length } of rows) {
      for (let gap = last + 1; gap < id && free.length < maxFree; gap++) free.push(gap)
      last = id
      if (used.has(id)) continue
      overwrite.run('-'.repeat(length), id)
      remove.run(id)
      if (free.length < maxFree) free.push(id)
    }
    database.exec('UPDATE state SET generation = generation + 1')
    yield
  }
  // Names that came meanwhile took greater numbers; what they took of the free ones is noted.
  names.forget()
  names.offer(free.filter((id) => !used.has(id)).toReversed())
}

function sweepRest(store: LogStore, used: Used, currentClients: Set<number>): void {
  const { database, kinds } = store
  const removeKind = database.prepare('DELETE FROM kind WHERE id = ?')
  for (const { id } of database.prepare('SELECT id FROM kind').all() as unknown as { id: number }[]) {
    if (!used.kinds.has(id)) removeKind.run(id)
  }
  database.exec('DELETE FROM upstream WHERE id NOT IN (SELECT upstream FROM kind)')
  kinds.forget()
  const removeClient = database.prepare('DELETE FROM client WHERE number = ?')
  for (const { number } of database.prepare('SELECT number FROM client').all() as unknown as { number: number }[]) {
    if (!used.clients.has(number) && !currentClients.has(number)) removeClient.run(number)
  }
  database.exec('UPDATE state SET generation = generation + 1')
}
