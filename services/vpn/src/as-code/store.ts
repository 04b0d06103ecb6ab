import type { Kysely } from 'kysely'
import type { PeerRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Reads all peers, by name. */
export function allPeerRows(db: Db): Promise<PeerRow[]> {
  return db.selectFrom('peers').selectAll().orderBy('name_key').execute()
}

/** Reads the ids and names of all peers. */
export function peerNameRows(db: Db): Promise<Pick<PeerRow, 'id' | 'name' | 'name_key'>[]> {
  return db.selectFrom('peers').select(['id', 'name', 'name_key']).execute()
}

/** Reads the rules of DNS with the names of their peers. */
export function dnsRuleRows(db: Db) {
  return db
    .selectFrom('dns_rules')
    .leftJoin('peers', 'peers.id', 'dns_rules.peer_id')
    .selectAll('dns_rules')
    .select(['peers.name as peer_name', 'peers.name_key as peer_key'])
    .orderBy('dns_rules.domain')
    .orderBy('dns_rules.below_only')
    .execute()
}

/** Tables that hold wanted state, and those that their rows refer to; these come first. */
const copiedTables = [
  'facts',
  'settings',
  'nodes',
  'interfaces',
  'peers',
  'peer_activity',
  'peer_quotas',
  'access_groups',
  'access_group_peers',
  'access_rules',
  'access_closed',
  'dns_profiles',
  'dns_profile_targets',
  'dns_rules',
  'dns_records',
  'dns_zones',
  'lists',
] as const

/** Rows of one statement: none has more than thirty-two columns, and a statement may have 32,766 values. */
const rowsAtOnce = 500

/** Copies the wanted state into an empty database, as it is at one moment. */
export async function copyWantedState(from: Db, to: Db): Promise<void> {
  const copies = await from.transaction().execute(async (trx) => {
    const rows = []
    for (const table of copiedTables) rows.push(await trx.selectFrom(table).selectAll().execute())
    return rows
  })
  await to.transaction().execute(async (trx) => {
    for (const [index, rows] of copies.entries()) {
      const table = copiedTables[index] ?? 'facts'
      await trx.deleteFrom(table).execute()
      for (let at = 0; at < rows.length; at += rowsAtOnce)
        await trx
          .insertInto(table)
          .values(rows.slice(at, at + rowsAtOnce))
          .execute()
    }
    // Texts of lists stay where they are: a trial has none.
    await trx.updateTable('lists').set({ sha256: null }).execute()
  })
}
