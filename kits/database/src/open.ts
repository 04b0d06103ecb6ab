import { Kysely, PostgresDialect } from 'kysely'
import { Pool, types, type CustomTypesConfig } from 'pg'
import { openNodeSqlite } from './node-sqlite.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

/** Where the rows are: the embedded file, or a PostgreSQL server. */
export type DatabaseLocation = { readonly file: string } | { readonly url: string }

/** An open database. Queries are the same text for both kinds; `kind` is for the rare place where they must differ. */
export interface Database<Tables> {
  readonly kind: 'sqlite' | 'postgres'
  readonly query: Kysely<Tables>
  close(): Promise<void>
}

/** PostgreSQL sends 64-bit integers and numerics as text, because they may not fit a number; ours always do. */
const asNumber = new Set([20, 1700])

const parserFor: CustomTypesConfig['getTypeParser'] = (type: number) =>
  asNumber.has(type) ? Number : types.getTypeParser(type)

/** Opens the database without looking at what is in it; see `migrate`. The connection is made by the first query. */
export function openDatabase<Tables>(location: DatabaseLocation): Database<Tables> {
  if ('file' in location) {
    const query = new Kysely<Tables>({ dialect: sqliteDialect(openNodeSqlite(location.file)) })
    return { kind: 'sqlite', query, close: () => query.destroy() }
  }
  const pool = new Pool({
    connectionString: location.url,
    max: 10,
    connectionTimeoutMillis: 5000,
    statement_timeout: 30_000,
    types: { getTypeParser: parserFor },
  })
  // An idle connection that the server ends must not end the process; the next query opens another.
  pool.on('error', () => undefined)
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return { kind: 'postgres', query, close: () => query.destroy() }
}
