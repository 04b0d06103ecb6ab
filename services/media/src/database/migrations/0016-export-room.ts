import type { Kysely } from 'kysely'

/** Room that a running export keeps for its files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('exports')
    .addColumn('reserved_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
}
