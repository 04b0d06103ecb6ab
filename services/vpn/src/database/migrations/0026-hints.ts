import type { Kysely } from 'kysely'

/** Hints at something unusual, what is expected and makes none, and what the detectors have learned. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hints')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('subject_name', 'text', (column) => column.notNull())
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('evidence', 'text', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('first_at', 'bigint', (column) => column.notNull())
    .addColumn('last_at', 'bigint', (column) => column.notNull())
    .addColumn('answered_at', 'bigint')
    .addColumn('answered_by', 'text')
    .execute()
  await db.schema.createIndex('hints_last_at').on('hints').columns(['last_at', 'id']).execute()
  await db.schema.createIndex('hints_subject').on('hints').columns(['kind', 'subject', 'topic']).execute()
  await db.schema
    .createTable('hint_exceptions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('subject_name', 'text', (column) => column.notNull())
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text')
    .addUniqueConstraint('hint_exceptions_unique', ['kind', 'subject', 'topic'])
    .execute()
  await db.schema
    .createTable('hint_states')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('hint_states_primary', ['kind', 'subject'])
    .execute()
}
