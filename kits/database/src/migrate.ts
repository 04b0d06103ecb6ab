import type { Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'

/** The steps that make a service's tables, oldest first, by name. A step that was released is never changed. */
export type Migrations = Readonly<Record<string, Migration>>

/**
 * Brings the tables up to date, all steps in one transaction, and returns the names of the steps that ran. Processes that
 * start together take turns. Throws when a step fails, and then none has happened, or when the database was made by a newer
 * version.
 */
export async function migrate<Tables>(query: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const migrator = new Migrator({
    db: query,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error instanceof Error ? error : new Error(JSON.stringify(error))
  return (results ?? []).filter((step) => step.status === 'Success').map((step) => step.migrationName)
}
