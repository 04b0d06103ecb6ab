import { createGunzip, createGzip } from 'node:zlib'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sql, type Kysely } from 'kysely'
import { OperatorError } from '@hearth/runtime'
import type { Database } from './open.ts'

/** The first line of a backup: what it is of, and what it must be restored into. */
export interface DumpHeader {
  readonly format: 'hearth-backup-1'
  readonly service: string
  /** The newest migration in the database the backup was made of. */
  readonly schema: string
  readonly created_at: string
  /** Proves that a key is the one the sealed columns were made with, without telling it. */
  readonly key_check: string
}

/** What a dump covers. Tables stand in an order in which a row's references come before it. */
export interface DumpScope {
  readonly tables: readonly string[]
  readonly header: DumpHeader
}

type AnyTables = Record<string, Record<string, unknown>>

const rowsAtOnce = 500

/**
 * Writes every row of the tables as it stood at one moment into a gzip file of JSON lines; the service may go on working
 * meanwhile. The same file restores into either kind of database. The file appears when it is complete, mode 0600.
 */
export async function writeDump<T>(database: Database<T>, path: string, scope: DumpScope): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  const query = database.query as unknown as Kysely<AnyTables>
  try {
    await query
      .transaction()
      .setIsolationLevel(database.kind === 'postgres' ? 'repeatable read' : 'serializable')
      .execute(async (trx) => {
        await pipeline(
          Readable.from(lines(trx, scope)),
          createGzip(),
          createWriteStream(temporary, { mode: 0o600, flags: 'wx' }),
        )
      })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function* lines(trx: Kysely<AnyTables>, scope: DumpScope): AsyncGenerator<string> {
  yield `${JSON.stringify(scope.header)}\n`
  for (const table of scope.tables) {
    const rows = await trx.selectFrom(table).selectAll().execute()
    for (const row of rows) yield `${JSON.stringify({ table, row })}\n`
  }
  yield `${JSON.stringify({ end: true })}\n`
}

/** Reads the first line of a backup; throws an `OperatorError` when the file is none. */
export async function readDumpHeader(path: string): Promise<DumpHeader> {
  for await (const line of dumpLines(path)) {
    const header = line as Partial<DumpHeader>
    if (header.format === 'hearth-backup-1') return header as DumpHeader
    break
  }
  throw new OperatorError(`${path} is not a backup of Hearth`)
}

/**
 * Replaces every row of the tables by those of the backup, in one transaction: a file that is cut short or does not fit
 * changes nothing. The tables must be on the schema the backup was made with, or a newer one that still takes its rows.
 */
export async function readDump<T>(database: Database<T>, path: string, tables: readonly string[]): Promise<number> {
  const query = database.query as unknown as Kysely<AnyTables>
  return query.transaction().execute(async (trx) => {
    if (database.kind === 'sqlite') await sql`pragma defer_foreign_keys = on`.execute(trx)
    for (const table of tables.toReversed()) await trx.deleteFrom(table).execute()
    return insertLines(trx, path, new Set(tables))
  })
}

async function insertLines(trx: Kysely<AnyTables>, path: string, known: ReadonlySet<string>): Promise<number> {
  let count = 0
  let pending: { table: string; rows: Record<string, unknown>[] } = { table: '', rows: [] }
  const flush = async () => {
    if (pending.rows.length > 0) await trx.insertInto(pending.table).values(pending.rows).execute()
    count += pending.rows.length
  }
  for await (const line of dumpLines(path)) {
    const { table, row, end } = line as { table?: string; row?: Record<string, unknown>; end?: boolean }
    if (end === true) {
      await flush()
      return count
    }
    if (table === undefined || row === undefined) continue
    if (!known.has(table)) throw new OperatorError(`${path} holds a table this version does not know: ${table}`)
    if (table !== pending.table || pending.rows.length >= rowsAtOnce / Object.keys(row).length + 1) {
      await flush()
      pending = { table, rows: [] }
    }
    pending.rows.push(row)
  }
  throw new OperatorError(`${path} is cut short; nothing was changed`)
}

async function* dumpLines(path: string): AsyncGenerator {
  const source = createReadStream(path).on('error', () => undefined)
  const plain = source.pipe(createGunzip())
  source.on('error', (error) => plain.destroy(error))
  try {
    for await (const line of createInterface({ input: plain, crlfDelay: Infinity })) yield JSON.parse(line)
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  } finally {
    source.destroy()
  }
}
