import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { OperatorError } from '@hearth/runtime'
import { sql, type Kysely } from 'kysely'
import { uniqueViolation, type Database } from './database.ts'
import { readRows, TableSums, type TableSum } from './table-sums.ts'

/** The first line of a backup, readable by anyone: what it is of, and what it must be restored into. */
export interface DumpHeader {
  readonly format: 'hearth-backup-1'
  readonly service: string
  /** The newest migration in the database the backup was made of. */
  readonly schema: string
  readonly created_at: string
  /** Proves that a key is the one of the backup without revealing it. */
  readonly key_check: string
}

/** Encrypts what follows the header, and back; `bound` is the header, which must not change either. */
export interface DumpCipher {
  encrypt(bound: string): Transform
  decrypt(bound: string): Transform
}

/** Scope of a dump. Tables are in an order in which a row's references come before it. */
export interface DumpScope {
  readonly tables: readonly string[]
  readonly header: DumpHeader
  readonly cipher: DumpCipher
}

type AnyTables = Record<string, Record<string, unknown>>
type Row = Record<string, unknown>

/** Parameters of one insert. Both databases take more, but the process does nothing else meanwhile. */
const parametersAtOnce = 2000

/** Maximum sizes of a header, a restored line and a restored file, bytes. A file that unpacks to more is not a backup. */
const maxHeaderBytes = 4096
const maxLineLength = 16 * 1_048_576
const maxContentLength = 8 * 1_073_741_824

/**
 * Writes a consistent snapshot of every row of the tables: a header, then encrypted gzip of JSON lines; the service may go
 * on working meanwhile. The same file restores into either kind of database. It appears when it is complete, mode 0600, and
 * replaces what had its name.
 *
 * @returns what was written, by table
 */
export async function writeDump<T>(
  database: Database<T>,
  path: string,
  scope: DumpScope & { readonly signal?: AbortSignal },
): Promise<Record<string, TableSum>> {
  const sums = new TableSums(scope.tables)
  const temporary = `${path}.${process.pid}.tmp`
  const query = database.query as unknown as Kysely<AnyTables>
  const header = JSON.stringify(scope.header)
  try {
    await withSnapshot(database.kind, query, async (trx) => {
      const file = createWriteStream(temporary, { mode: 0o600, flags: 'wx', flush: true })
      file.write(`${header}\n`)
      const content = lines((table) => readRows(database.kind, trx, table), sums, scope.tables)
      const options = scope.signal === undefined ? {} : { signal: scope.signal }
      await pipeline(Readable.from(content), createGzip(), scope.cipher.encrypt(header), file, options)
    })
    await rename(temporary, path)
    return sums.result()
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Runs reads on one snapshot of the database, without blocking writers. */
async function withSnapshot(
  kind: 'sqlite' | 'postgres',
  query: Kysely<AnyTables>,
  work: (db: Kysely<AnyTables>) => Promise<void>,
): Promise<void> {
  if (kind === 'postgres') return query.transaction().setIsolationLevel('repeatable read').execute(work)
  return query.connection().execute(async (connection) => {
    await sql`begin deferred`.execute(connection)
    try {
      await work(connection)
    } finally {
      await sql`rollback`.execute(connection)
    }
  })
}

async function* lines(read: (table: string) => AsyncIterable<Row>, sums: TableSums, tables: readonly string[]) {
  for (const table of tables)
    for await (const row of read(table)) {
      sums.add(table, row)
      yield `${JSON.stringify({ table, row })}\n`
    }
  yield `${JSON.stringify({ end: true })}\n`
}

/** Reads the first line of a backup; throws an `OperatorError` when the file is none. */
export async function readDumpHeader(path: string): Promise<DumpHeader> {
  return JSON.parse(await readHeaderText(path)) as DumpHeader
}

async function readHeaderText(path: string): Promise<string> {
  const start = await readStart(path)
  const text = start.subarray(0, Math.max(0, start.indexOf('\n'))).toString()
  try {
    if ((JSON.parse(text) as Partial<DumpHeader>).format === 'hearth-backup-1') return text
  } catch {
    // Not JSON, so not a backup.
  }
  throw new OperatorError(`${path} is not a backup of Hearth`)
}

async function readStart(path: string): Promise<Buffer> {
  try {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeaderBytes), 0, maxHeaderBytes, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** Target of a restore. */
export interface RestoreScope extends Omit<DumpScope, 'header'> {
  /** The newest migration in the database that takes the rows. */
  readonly schema: string
}

/** Numbers of rows that a restore put in or left out, by table. */
export interface RestoreCounts {
  readonly rows: Readonly<Record<string, number>>
  /** Rows that break a rule of uniqueness which is newer than the backup. A table without any is missing. */
  readonly leftOut: Readonly<Record<string, number>>
}

/**
 * Replaces every row of the tables by those of the backup, in one transaction: a file that is cut short, changed or does not
 * fit changes nothing. The tables must be on the schema the backup was made with, or a newer one that still takes its rows.
 * Every row is put in, or the restore is refused with an `OperatorError`; only a backup of an older schema may have rows that
 * break a rule of uniqueness made since, and then the first of them stays.
 */
export async function readDump<T>(database: Database<T>, path: string, scope: RestoreScope): Promise<RestoreCounts> {
  const query = database.query as unknown as Kysely<AnyTables>
  const header = await readHeaderText(path)
  return query.transaction().execute(async (trx) => {
    if (database.kind === 'sqlite') await sql`pragma defer_foreign_keys = on`.execute(trx)
    for (const table of scope.tables.toReversed()) await trx.deleteFrom(table).execute()
    const source = createReadStream(path, { start: Buffer.byteLength(header) + 1 })
    const isOlder = (JSON.parse(header) as DumpHeader).schema !== scope.schema
    const content = contentLines(path, source, scope.cipher.decrypt(header))
    return insertLines(trx, content, { known: new Set(scope.tables), isOlder })
  })
}

async function insertLines(
  trx: Kysely<AnyTables>,
  content: AsyncIterable<unknown>,
  { known, isOlder }: { readonly known: ReadonlySet<string>; readonly isOlder: boolean },
): Promise<RestoreCounts> {
  const counts = { rows: {} as Record<string, number>, leftOut: {} as Record<string, number> }
  let table = ''
  let rows: Row[] = []
  let isComplete = false
  const flush = async () => {
    if (rows.length === 0) return
    const inserted = await insertRows(trx, { table, rows, isOlder })
    counts.rows[table] = (counts.rows[table] ?? 0) + inserted
    if (inserted < rows.length) counts.leftOut[table] = (counts.leftOut[table] ?? 0) + rows.length - inserted
    rows = []
    // An embedded database answers at once; requests are answered in between.
    await new Promise((resolve) => setImmediate(resolve))
  }
  for await (const line of content) {
    const entry = line as { table?: string; row?: Row; end?: boolean }
    isComplete = entry.end === true
    if (entry.table === undefined || entry.row === undefined) continue
    if (!known.has(entry.table))
      throw new OperatorError(`the backup holds a table this version does not know: ${entry.table}`)
    if (entry.table !== table || (rows.length + 1) * Object.keys(entry.row).length > parametersAtOnce) await flush()
    table = entry.table
    rows.push(entry.row)
  }
  await flush()
  if (!isComplete) throw new OperatorError('the backup is cut short; nothing was changed')
  return counts
}

/** Inserts rows of one table and returns how many the table took, which is all of them unless the backup is an older one. */
async function insertRows(
  trx: Kysely<AnyTables>,
  { table, rows, isOlder }: { readonly table: string; readonly rows: Row[]; readonly isOlder: boolean },
): Promise<number> {
  const insert = trx.insertInto(table).values(rows)
  if (isOlder) {
    const results = await insert.onConflict((conflict) => conflict.doNothing()).execute()
    return results.reduce((sum, { numInsertedOrUpdatedRows = 0n }) => sum + Number(numInsertedOrUpdatedRows), 0)
  }
  try {
    await insert.execute()
    return rows.length
  } catch (error) {
    const rule = uniqueViolation(error)
    if (rule === undefined) throw error
    throw new OperatorError(
      `the backup has rows in ${table} that must not stand beside each other (${rule}); nothing was changed`,
      { cause: error },
    )
  }
}

async function* contentLines(path: string, source: Readable, decrypt: Transform): AsyncGenerator {
  const plain = createGunzip()
  const done = pipeline(source, decrypt, plain).catch((error: unknown) => error)
  let total = 0
  try {
    for await (const line of createInterface({ input: plain, crlfDelay: Infinity })) {
      total += line.length
      if (line.length > maxLineLength || total > maxContentLength)
        throw new Error('it unpacks to more than any backup has')
      yield JSON.parse(line)
    }
    const failure = await done
    if (failure !== undefined) throw failure
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${(error as Error).message}; nothing was changed`, {
      cause: error,
    })
  } finally {
    source.destroy()
    plain.destroy()
  }
}
