import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Reads all rules, with the peers they are for. */
export function ruleRows(db: Db) {
  return db
    .selectFrom('dns_rules')
    .leftJoin('peers', 'peers.id', 'dns_rules.peer_id')
    .select([
      'dns_rules.id',
      'dns_rules.number',
      'dns_rules.action',
      'dns_rules.domain',
      'dns_rules.below_only',
      'dns_rules.enabled',
      'peers.name as client_name',
      'peers.dns_number as client_number',
    ])
    .orderBy('dns_rules.number')
    .execute()
}
export type RuleRow = Awaited<ReturnType<typeof ruleRows>>[number]

/** Reads these peers, or all, with the columns that decide whether and how their queries are answered. */
export function clientRows(db: Db, ids: readonly string[] | undefined) {
  return db
    .selectFrom('peers')
    .innerJoin('interfaces', 'interfaces.name', 'peers.interface')
    .select([
      'peers.id',
      'peers.name',
      'peers.ip',
      'peers.ipv6',
      'peers.enabled',
      'peers.expires_at',
      'peers.interface',
      'peers.tag_keys',
      'peers.dns_number',
      'peers.dns_filtering',
      'peers.dns_lists',
      'peers.dns_logging',
      'interfaces.enabled as interface_enabled',
      'interfaces.address as interface_address',
    ])
    .$if(ids !== undefined, (query) => query.where('peers.id', 'in', ids ?? []))
    .orderBy('peers.created_at')
    .execute()
}

/** Reads the addresses of the enabled interfaces of this host. */
export function enabledInterfaceRows(db: Db) {
  return db
    .selectFrom('interfaces')
    .select(['name', 'address', 'address6'])
    .where('enabled', '=', 1)
    .where('node_id', 'is', null)
    .orderBy('name')
    .execute()
}

/** Reads the names of all lists, disabled ones included. */
export function listNameRows(db: Db) {
  return db.selectFrom('lists').select(['number', 'id', 'name']).execute()
}
