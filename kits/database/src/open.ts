import { Kysely, PostgresDialect } from 'kysely'
import type { CustomTypesConfig, Pool } from 'pg'
import { openNodeSqlite } from './node-sqlite.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

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
