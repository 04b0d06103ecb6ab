import type { Kysely } from 'kysely'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'
import type { AccessGroupRow, AccessRuleRow } from './tables.ts'

type Db = Kysely<Tables>

/** Rows of one statement. */
const rowsAtOnce = 400

/** A peer as far as rules go. */
export type AccessPeerRow = Pick<
  PeerRow,
  'id' | 'name' | 'interface' | 'ip' | 'ipv6' | 'networks' | 'tag_keys' | 'client_isolation'
>

/** Reads all peers. */
export function accessPeerRows(db: Db): Promise<AccessPeerRow[]> {
  return db
    .selectFrom('peers')
    .select(['id', 'name', 'interface', 'ip', 'ipv6', 'networks', 'tag_keys', 'client_isolation'])
    .orderBy('id')
    .execute()
}

/** An interface as far as rules go. */
export type AccessInterfaceRow = Pick<InterfaceRow, 'name' | 'address' | 'address6' | 'dns' | 'forwarding'>

/** Reads all interfaces, by name. */
export function accessInterfaceRows(db: Db): Promise<AccessInterfaceRow[]> {
  return db
    .selectFrom('interfaces')
    .select(['name', 'address', 'address6', 'dns', 'forwarding'])
    .orderBy('name')
    .execute()
}

/** Reads the names of the interfaces that deny what no rule matches. */
export async function closedInterfaces(db: Db): Promise<Set<string>> {
  return new Set((await db.selectFrom('access_closed').selectAll().execute()).map((row) => row.interface))
}

export async function setClosed(db: Db, name: string, isClosed: boolean): Promise<void> {
  await db.deleteFrom('access_closed').where('interface', '=', name).execute()
  if (isClosed) await db.insertInto('access_closed').values({ interface: name }).execute()
}

/** Reads all groups, by name. */
export function allGroupRows(db: Db): Promise<AccessGroupRow[]> {
  return db.selectFrom('access_groups').selectAll().orderBy('name_key').execute()
}

export function findGroupRow(db: Db, id: string): Promise<AccessGroupRow | undefined> {
  return db.selectFrom('access_groups').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertGroupRow(db: Db, row: AccessGroupRow): Promise<void> {
  await db.insertInto('access_groups').values(row).execute()
}

export async function updateGroupRow(db: Db, id: string, changes: Partial<Omit<AccessGroupRow, 'id'>>): Promise<void> {
  if (Object.keys(changes).length > 0) await db.updateTable('access_groups').set(changes).where('id', '=', id).execute()
}

export async function deleteGroupRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('access_groups').where('id', '=', id).execute()
}

/** Reads which peers were put into which groups. */
export function groupPeerRows(db: Db): Promise<Tables['access_group_peers'][]> {
  return db.selectFrom('access_group_peers').selectAll().execute()
}

/** Reads the peers that were put into a group by hand, by name. */
export function handPickedPeers(db: Db, group: string): Promise<Pick<PeerRow, 'id' | 'name'>[]> {
  return db
    .selectFrom('access_group_peers')
    .innerJoin('peers', 'peers.id', 'access_group_peers.peer_id')
    .select(['peers.id', 'peers.name'])
    .where('group_id', '=', group)
    .orderBy('peers.name_key')
    .execute()
}

/** Replaces the peers that are in a group by hand. */
export async function replaceGroupPeers(db: Db, group: string, peers: readonly string[]): Promise<void> {
  await db.deleteFrom('access_group_peers').where('group_id', '=', group).execute()
  for (let at = 0; at < peers.length; at += rowsAtOnce) {
    const rows = peers.slice(at, at + rowsAtOnce).map((peer_id) => ({ group_id: group, peer_id }))
    await db.insertInto('access_group_peers').values(rows).execute()
  }
}

/** Returns those of the ids that are no peer's. */
export async function unknownPeers(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const unknown = new Set(ids)
  for (let at = 0; at < ids.length; at += rowsAtOnce) {
    const some = ids.slice(at, at + rowsAtOnce)
    for (const { id } of await db.selectFrom('peers').select('id').where('id', 'in', some).execute()) unknown.delete(id)
  }
  return unknown
}

/** Reads all rules in their order. */
export function allAccessRuleRows(db: Db): Promise<AccessRuleRow[]> {
  return db.selectFrom('access_rules').selectAll().orderBy('position').orderBy('id').execute()
}

export async function insertAccessRuleRow(db: Db, row: AccessRuleRow): Promise<void> {
  await db.insertInto('access_rules').values(row).execute()
}

export async function updateAccessRuleRow(
  db: Db,
  id: string,
  changes: Partial<Omit<AccessRuleRow, 'id'>>,
): Promise<void> {
  await db.updateTable('access_rules').set(changes).where('id', '=', id).execute()
}

export async function deleteAccessRuleRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('access_rules').where('id', '=', id).execute()
}

/** Finds a peer by its id or its name as it is compared. */
export function findPeerByIdOrName(
  db: Db,
  { id, nameKey }: { id: string; nameKey: string },
): Promise<Pick<PeerRow, 'id' | 'name'> | undefined> {
  return db
    .selectFrom('peers')
    .select(['id', 'name'])
    .where((where) => where.or([where('id', '=', id), where('name_key', '=', nameKey)]))
    .orderBy((order) => order.case().when('id', '=', id).then(0).else(1).end())
    .executeTakeFirst()
}

/** Names of those of the peers that are disabled at a time, or have expired by then. */
export async function namesOfStoppedPeers(db: Db, ids: readonly string[], at: number): Promise<string[]> {
  const rows = await db
    .selectFrom('peers')
    .select('name')
    .where('id', 'in', ids)
    .where((where) => where.or([where('enabled', '=', 0), where('expires_at', '<=', at)]))
    .execute()
  return rows.map(({ name }) => name)
}
