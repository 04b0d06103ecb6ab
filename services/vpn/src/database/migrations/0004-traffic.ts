import type { CreateTableBuilder, Kysely } from 'kysely'
import { sql } from 'kysely'

/** Traffic of peers and interfaces over time, and the places it came from and went to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['rx_bucketed', 'tx_bucketed']) {
    await db.schema
      .alterTable('peer_activity')
      .addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(0))
      .execute()
  }
  // The times of earlier bytes are unknown, so they are in no bucket.
  await sql`update peer_activity set rx_bucketed = rx_total, tx_bucketed = tx_total`.execute(db)
  await withAmounts(
    db.schema
      .createTable('peer_traffic')
      .addColumn('peer_id', 'text', (column) => column.notNull().references('peers.id').onDelete('cascade')),
  )
    .addPrimaryKeyConstraint('peer_traffic_key', ['peer_id', 'seconds', 'start'])
    .execute()
  await withAmounts(
    db.schema.createTable('interface_traffic').addColumn('interface', 'text', (column) => column.notNull()),
  )
    .addPrimaryKeyConstraint('interface_traffic_key', ['interface', 'seconds', 'start'])
    .execute()
  await createPlaces(db)
}

function withAmounts<Table extends string, Column extends string>(table: CreateTableBuilder<Table, Column>) {
  return table
    .addColumn('seconds', 'integer', (column) => column.notNull())
    .addColumn('start', 'bigint', (column) => column.notNull())
    .addColumn('rx_bytes', 'bigint', (column) => column.notNull())
    .addColumn('tx_bytes', 'bigint', (column) => column.notNull())
    .addColumn('active_ms', 'bigint', (column) => column.notNull())
}

async function createPlaces(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('networks')
    .addColumn('asn', 'bigint', (column) => column.primaryKey())
    .addColumn('organization', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('place_traffic')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('start', 'bigint', (column) => column.notNull())
    .addColumn('peer_id', 'text', (column) => column.notNull().references('peers.id').onDelete('cascade'))
    .addColumn('country', 'text', (column) => column.notNull())
    .addColumn('asn', 'bigint', (column) => column.notNull())
    .addColumn('rx_bytes', 'bigint', (column) => column.notNull())
    .addColumn('tx_bytes', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('place_traffic_key', ['source', 'start', 'peer_id', 'country', 'asn'])
    .execute()
  await db.schema.createIndex('place_traffic_peer').on('place_traffic').columns(['peer_id', 'start']).execute()
}
