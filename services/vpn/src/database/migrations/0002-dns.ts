import { randomInt } from 'node:crypto'
import type { Kysely } from 'kysely'

/** Columns of peers for the resolver, and the rules of operators. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addPeerColumns(db)
  await db.schema
    .createTable('dns_rules')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('number', 'bigint', (column) => column.notNull().unique())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('below_only', 'integer', (column) => column.notNull())
    .addColumn('peer_id', 'text', (column) => column.references('peers.id').onDelete('cascade'))
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text')
    .execute()
  await db.schema.createIndex('dns_rules_domain').on('dns_rules').columns(['domain', 'peer_id']).execute()
  await db.schema.createIndex('dns_rules_created').on('dns_rules').columns(['created_at', 'id']).execute()
}

interface PeersTable {
  peers: { id: string; dns_number: number | null }
}

async function addPeerColumns(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('peers').addColumn('dns_number', 'bigint').execute()
  await db.schema
    .alterTable('peers')
    .addColumn('dns_filtering', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
  await db.schema.alterTable('peers').addColumn('dns_lists', 'text').execute()
  await db.schema
    .alterTable('peers')
    .addColumn('dns_logging', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
  const peers = db as Kysely<PeersTable>
  const given = new Set<number>()
  for (const { id } of await peers.selectFrom('peers').select('id').execute()) {
    let number = randomInt(1, 2 ** 31 - 1)
    while (given.has(number)) number = randomInt(1, 2 ** 31 - 1)
    given.add(number)
    await peers.updateTable('peers').set({ dns_number: number }).where('id', '=', id).execute()
  }
  await db.schema.createIndex('peers_dns_number').on('peers').column('dns_number').unique().execute()
}
