import { Kysely, PostgresDialect, sql, SqliteAdapter, SqliteDialect, type SqliteDatabase } from 'kysely'
import type { CustomTypesConfig, Pool } from 'pg'
import { openNodeSqlite } from './node-sqlite.ts'

/** Location of the rows: the embedded file, or a PostgreSQL server. */
export type DatabaseLocation = { readonly file: string } | { readonly url: string }

/** An open database. Queries are the same text for both kinds; `kind` is for the rare place where they must differ. */
export interface Database<Tables> {
  readonly kind: 'sqlite' | 'postgres'
  readonly query: Kysely<Tables>
  close(): Promise<void>
}

/** PostgreSQL sends 64-bit integers and numerics as text, because they may not fit a number; ours always do. */
const asNumber = new Set([20, 1700])

/** Opens the database without looking at what is in it; see `migrate`. The connection is made by the first query. */
export function openDatabase<Tables>(location: DatabaseLocation): Database<Tables> {
  if ('file' in location) {
    const query = new Kysely<Tables>({ dialect: sqliteDialect(openNodeSqlite(location.file)) })
    return { kind: 'sqlite', query, close: () => query.destroy() }
  }
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: () => openPool(location.url) }) })
  return { kind: 'postgres', query, close: () => query.destroy() }
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
