import { stat } from 'node:fs/promises'
import { Kysely, PostgresDialect, sql, SqliteAdapter, SqliteDialect, type LogEvent, type SqliteDatabase } from 'kysely'
import type { CustomTypesConfig, Pool } from 'pg'
import { openNodeSqlite } from './node-sqlite.ts'

/** Location of the rows: the embedded file, or a PostgreSQL server. A temporary file is removed after use, and faster. */
export type DatabaseLocation = { readonly file: string; readonly isTemporary?: boolean } | { readonly url: string }

/** An open database. Queries are the same text for both kinds; `kind` is for the rare place where they must differ. */
export interface Database<Tables> {
  readonly kind: 'sqlite' | 'postgres'
  readonly query: Kysely<Tables>
  close(): Promise<void>
}

/** Use of a database since it was opened. */
export interface DatabaseUsage {
  readonly queries: number
  /** Queries that failed; they count as queries too. */
  readonly failures: number
  /** Time spent in queries, seconds. */
  readonly seconds: number
  /** Size of the embedded files, or of the database on the server. */
  readonly sizeBytes: number
}

/** A database that counts its queries. */
export interface MeasuredDatabase<Tables> extends Database<Tables> {
  /** Reads the counts, and the size from the disk or the server. */
  usage(): Promise<DatabaseUsage>
}

/** PostgreSQL sends 64-bit integers and numerics as text, because they may not fit a number; ours always do. */
const asNumber = new Set([20, 1700])

/** Opens the database without looking at what is in it; see `migrate`. The connection is made by the first query. */
export function openDatabase<Tables>(location: DatabaseLocation): MeasuredDatabase<Tables> {
  const counts = { queries: 0, failures: 0, seconds: 0 }
  const log = ({ level, queryDurationMillis }: LogEvent) => {
    counts.queries += 1
    if (level === 'error') counts.failures += 1
    counts.seconds += queryDurationMillis / 1000
  }
  const isFile = 'file' in location
  const dialect = isFile
    ? sqliteDialect(openNodeSqlite(location.file, location.isTemporary))
    : new PostgresDialect({ pool: () => openPool(location.url) })
  const query = new Kysely<Tables>({ dialect, log })
  return {
    kind: isFile ? 'sqlite' : 'postgres',
    query,
    close: () => query.destroy(),
    async usage() {
      const sizeBytes = isFile ? await sizeOfFiles(location.file) : await sizeOnServer(query)
      return { ...counts, sizeBytes }
    },
  }
}

/** Returns the size of the embedded file with its write-ahead log, bytes; 0 for one in memory. */
export async function sizeOfFiles(file: string): Promise<number> {
  const sizes = [file, `${file}-wal`].map(async (path) => (await stat(path).catch(() => undefined))?.size ?? 0)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

async function sizeOnServer<Tables>(query: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(query)
  return rows[0]?.size ?? 0
}

async function openPool(connectionString: string): Promise<Pool> {
  // Loaded here, because most installations keep their rows in a file.
  const { Pool, types } = await import('pg')
  const getTypeParser: CustomTypesConfig['getTypeParser'] = (type: number) =>
    asNumber.has(type) ? Number : types.getTypeParser(type)
  const limits = { max: 10, connectionTimeoutMillis: 5000, statement_timeout: 30_000 }
  const pool = new Pool({ connectionString, ...limits, types: { getTypeParser } })
  // An idle connection that the server ends must not end the process; the next query opens another.
  pool.on('error', () => undefined)
  // Nor may one that ends while it is in use, whose query fails: the pool itself listens to idle ones alone.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** SQLite undoes a change of the tables with the transaction around it, though Kysely's own adapter does not count on it. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class TransactionalDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

/** Kysely's SQLite dialect over a connection, with migrations that happen whole or not at all. */
export function sqliteDialect(database: SqliteDatabase): SqliteDialect {
  return new TransactionalDialect({ database })
}

/**
 * Takes a lock until the end of the transaction, so that transactions that check before they write run one at a time: on
 * PostgreSQL two of them would otherwise both pass the check. SQLite has one writer at a time anyway.
 */
export async function acquireLock<T>(kind: Database<T>['kind'], trx: Kysely<T>, lockId: number): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${lockId})`.execute(trx)
}

/** SQLite's extended result codes for a primary key and for a unique index. */
const sqliteCodes = new Set([1555, 2067])

/**
 * The columns of the unique rule that an insert or update broke, as far as the database names them, or undefined when the
 * error is another one. SQLite names columns (`peers.ip`), PostgreSQL the index (`peers_ip_unique`); both contain the column.
 */
export function uniqueViolation(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { errcode, code, constraint, message } = error as Record<string, unknown>
  if (typeof errcode === 'number' && sqliteCodes.has(errcode)) return String(message).replace(/^.*failed: /, '')
  if (typeof code === 'string' && /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code)) return String(message)
  if (code === '23505') return String(constraint ?? message)
  return undefined
}
