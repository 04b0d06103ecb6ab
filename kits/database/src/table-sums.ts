import { hash } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import type { Database } from './database.ts'

type AnyTables = Record<string, Record<string, unknown>>

/** Content of one table: the number of its rows, and a sum over them that does not depend on their order. */
export interface TableSum {
  readonly rows: number
  readonly sum: string
}

/** Adds up the rows of tables as they come. */
export class TableSums {
  readonly #tables = new Map<string, { rows: number; sum: bigint }>()

  constructor(tables: readonly string[]) {
    for (const table of tables) this.#tables.set(table, { rows: 0, sum: 0n })
  }

  add(table: string, row: Readonly<Record<string, unknown>>): void {
    const entry = this.#tables.get(table)
    if (entry === undefined) return
    const columns = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const digest = hash('sha256', JSON.stringify(columns), 'buffer').readBigUInt64BE()
    entry.rows += 1
    entry.sum = BigInt.asUintN(64, entry.sum + digest)
  }

  result(): Record<string, TableSum> {
    return Object.fromEntries(
      [...this.#tables].map(([table, { rows, sum }]) => [table, { rows, sum: sum.toString(16).padStart(16, '0') }]),
    )
  }
}

/**
 * Reads the rows of a table. The embedded database hands out one at a time, so that other work of the process comes in
 * between; the server sends them together.
 */
export async function* readRows(
  kind: Database<unknown>['kind'],
  db: Kysely<AnyTables>,
  table: string,
): AsyncGenerator<Record<string, unknown>> {
  const rows = db.selectFrom(table).selectAll()
  if (kind === 'sqlite') yield* rows.stream()
  else yield* await rows.execute()
}

/** Returns those of the tables that the database has, in the same order. */
export async function presentTables<T>(database: Database<T>, tables: readonly string[]): Promise<string[]> {
  const names =
    database.kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
  const present = new Set((await names.execute(database.query)).rows.map(({ name }) => name))
  return tables.filter((table) => present.has(table))
}

/** Returns the content of every table, to compare it with what `writeDump` wrote. */
export async function sumTables<T>(
  database: Database<T>,
  tables: readonly string[],
): Promise<Record<string, TableSum>> {
  const sums = new TableSums(tables)
  for (const table of tables) {
    let count = 0
    for await (const row of readRows(database.kind, database.query as unknown as Kysely<AnyTables>, table)) {
      sums.add(table, row)
      count += 1
      // The rows of an embedded database come without a pause; requests are answered in between.
      if (count % 200 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return sums.result()
}

/**
 * Does the work unless another process holds the lock at the same time; then it returns undefined at once. The embedded
 * database has one process, which always gets the lock.
 */
export async function withLockOrNot<T, R>(
  database: Database<T>,
  lockId: number,
  work: () => Promise<R>,
): Promise<R | undefined> {
  if (database.kind === 'sqlite') return work()
  return database.query.transaction().execute(async (trx) => {
    const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${lockId}) as got`.execute(trx)
    return rows[0]?.got === true ? work() : undefined
  })
}
