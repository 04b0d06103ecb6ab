import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { OperatorError } from '@hearth/runtime'
import { sql, type Kysely } from 'kysely'
import type { Database } from './database.ts'

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

/** Parameters of one insert; both databases take more. */
const parametersAtOnce = 5000

/** Maximum sizes of a header, a restored line and a restored file, bytes. A file that unpacks to more is not a backup. */
const maxHeaderBytes = 4096
const maxLineLength = 16 * 1_048_576
const maxContentLength = 8 * 1_073_741_824

/**
 * Writes a consistent snapshot of every row of the tables: a header, then encrypted gzip of JSON lines; the service may go
 * on working meanwhile. The same file restores into either kind of database. It appears when it is complete, mode 0600, and
 * replaces what had its name.
 */
export async function writeDump<T>(database: Database<T>, path: string, scope: DumpScope): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  const query = database.query as unknown as Kysely<AnyTables>
  const header = JSON.stringify(scope.header)
  try {
    await withSnapshot(database.kind, query, async (trx) => {
      const file = createWriteStream(temporary, { mode: 0o600, flags: 'wx', flush: true })
      file.write(`${header}\n`)
      await pipeline(Readable.from(lines(trx, scope.tables)), createGzip(), scope.cipher.encrypt(header), file)
    })
    await rename(temporary, path)
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

async function* lines(trx: Kysely<AnyTables>, tables: readonly string[]): AsyncGenerator<string> {
  for (const table of tables) {
    const rows = await trx.selectFrom(table).selectAll().execute()
    for (const row of rows) yield `${JSON.stringify({ table, row })}\n`
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

/**
 * Replaces every row of the tables by those of the backup, in one transaction: a file that is cut short, changed or does not
 * fit changes nothing. The tables must be on the schema the backup was made with, or a newer one that still takes its rows.
 *
 * @returns rows of the backup by table
 */
export async function readDump<T>(
  database: Database<T>,
  path: string,
  scope: Omit<DumpScope, 'header'>,
): Promise<Record<string, number>> {
  const query = database.query as unknown as Kysely<AnyTables>
  const header = await readHeaderText(path)
  return query.transaction().execute(async (trx) => {
    if (database.kind === 'sqlite') await sql`pragma defer_foreign_keys = on`.execute(trx)
    for (const table of scope.tables.toReversed()) await trx.deleteFrom(table).execute()
    const source = createReadStream(path, { start: Buffer.byteLength(header) + 1 })
    return insertLines(trx, contentLines(path, source, scope.cipher.decrypt(header)), new Set(scope.tables))
  })
}

async function insertLines(
  trx: Kysely<AnyTables>,
  content: AsyncIterable<unknown>,
  known: ReadonlySet<string>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let table = ''
  let rows: Row[] = []
  let isComplete = false
  const flush = async () => {
    // A backup of a version that did not yet hold a rule of uniqueness may break it: the first of such rows stays.
    const insert = (some: Row[]) =>
      trx
        .insertInto(table)
        .values(some)
        .onConflict((conflict) => conflict.doNothing())
    if (rows.length === 0) return
    await insert(rows).execute()
    counts[table] = (counts[table] ?? 0) + rows.length
    rows = []
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
