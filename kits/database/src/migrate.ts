import { OperatorError } from '@hearth/runtime'
import { PostgresAdapter, sql, type Kysely, type QueryExecutorProvider, type Transaction } from 'kysely'
import type { Migration } from 'kysely/migration'

/** One step. */
export interface MigrationStep extends Migration {
  /**
   * True for a step that makes a table anew in the place of one that others refer to. SQLite checks these references at the end
   * then, and does not delete the rows that refer to the old table together with it.
   */
  readonly isRebuild?: boolean
}

/** The steps that make a service's tables, oldest first, by name. A step that was released is never changed. */
export type Migrations = Readonly<Record<string, MigrationStep>>

/** The database was made by a newer version of the program. */
export class NewerDatabase extends OperatorError {}

/** The steps that ran, in the layout of Kysely's migrator, which made it before. */
interface StepTables {
  kysely_migration: { name: string; timestamp: string }
}

/** Lock of Kysely's migrator, so that older versions wait for it too. */
const migrationLock = 3_853_314_791_062_309_107n

/**
 * Brings the tables up to date and returns the names of the steps that ran. `beforeUpgrade` and all steps are one transaction:
 * they happen whole or not at all, and nobody else writes to an embedded database between them. Processes that start together
 * take turns. Throws `NewerDatabase` when steps ran that are not known.
 *
 * @param beforeUpgrade called with the steps that ran in the past when there are some, and others must run now. It reads the
 *   database on another connection.
 */
export async function migrate<Tables>(
  query: Kysely<Tables>,
  migrations: Migrations,
  beforeUpgrade?: (applied: readonly string[]) => Promise<void>,
): Promise<string[]> {
  const db = query as unknown as Kysely<StepTables>
  const { pending: steps } = await readSteps(db, migrations)
  if (steps.length === 0) return []
  const isRebuild = !isPostgres(db) && steps.some((name) => migrations[name]?.isRebuild === true)
  const run = () =>
    db.transaction().execute(async (trx) => {
      await waitForTurn(trx)
      const { applied, pending } = await readSteps(trx, migrations)
      if (applied.length > 0 && pending.length > 0) await beforeUpgrade?.(applied)
      await runSteps(trx, migrations, pending)
      if (isRebuild) await checkReferences(trx)
      return pending
    })
  return isRebuild ? withoutReferences(db, run) : run()
}

/** Runs work while SQLite does not follow references; within a transaction that could not be changed. */
async function withoutReferences<T>(db: Kysely<StepTables>, work: () => Promise<T>): Promise<T> {
  await sql`pragma foreign_keys = off`.execute(db)
  try {
    return await work()
  } finally {
    await sql`pragma foreign_keys = on`.execute(db)
  }
}

async function checkReferences(trx: Transaction<StepTables>): Promise<void> {
  const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(trx)
  const [broken] = rows
  if (broken !== undefined)
    throw new Error(`a row of ${broken.table} refers to a row of ${broken.parent} that is not there`)
}

/** Reads which steps ran, oldest first, and which must run. */
async function readSteps(db: Kysely<StepTables>, migrations: Migrations) {
  const applied = (await hasSteps(db)) ? await db.selectFrom('kysely_migration').select('name').execute() : []
  const names = applied.map(({ name }) => name).toSorted()
  const unknown = names.filter((name) => !(name in migrations))
  if (unknown.length > 0)
    throw new NewerDatabase(`the database was made by a newer version of Hearth, see ${unknown.join(', ')}`)
  return { applied: names, pending: Object.keys(migrations).filter((name) => !names.includes(name)) }
}

async function hasSteps(db: Kysely<StepTables>): Promise<boolean> {
  const { rows } = isPostgres(db)
    ? await sql`select 1 where to_regclass('kysely_migration') is not null`.execute(db)
    : await sql`select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'`.execute(db)
  return rows.length > 0
}

async function runSteps(trx: Transaction<StepTables>, migrations: Migrations, names: readonly string[]): Promise<void> {
  await trx.schema
    .createTable('kysely_migration')
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute()
  for (const name of names) {
    await migrations[name]?.up(trx)
    await trx.insertInto('kysely_migration').values({ name, timestamp: new Date().toISOString() }).execute()
  }
}

/** Waits until no other process migrates. An embedded database has one writer at a time anyway. */
async function waitForTurn(trx: Transaction<StepTables>): Promise<void> {
  if (!isPostgres(trx)) return
  // A backup, and a change of a large table, take longer than a query may.
  await sql`set local statement_timeout = 0`.execute(trx)
  await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(trx)
}

/** Returns true if the tables lie on a PostgreSQL server; for a migration whose statements must differ. */
export function isPostgres(db: Pick<QueryExecutorProvider, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
