import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { DnsProfileRow, DnsProfileTargetRow } from './tables.ts'

type Db = Kysely<Tables>

/** Rows of one statement. */
const rowsAtOnce = 400

/** Reads all profiles, by name. */
export function allProfileRows(db: Db): Promise<DnsProfileRow[]> {
  return db.selectFrom('dns_profiles').selectAll().orderBy('name_key').execute()
}

export async function insertProfileRow(db: Db, row: DnsProfileRow): Promise<void> {
  await db.insertInto('dns_profiles').values(row).execute()
}

export async function updateProfileRow(db: Db, id: string, changes: Partial<Omit<DnsProfileRow, 'id'>>): Promise<void> {
  if (Object.keys(changes).length > 0) await db.updateTable('dns_profiles').set(changes).where('id', '=', id).execute()
}

export async function deleteProfileRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('dns_profiles').where('id', '=', id).execute()
}

/** Reads what profiles are assigned to. */
export function allTargetRows(db: Db): Promise<DnsProfileTargetRow[]> {
  return db.selectFrom('dns_profile_targets').selectAll().execute()
}

/** A kind of what profiles are assigned to: the column that names it. */
export type TargetKind = 'peer_id' | 'group_id' | 'interface'

/** Removes what of this kind a profile is assigned to. */
export async function deleteTargetsOf(db: Db, profile: string, kind: TargetKind): Promise<void> {
  await db.deleteFrom('dns_profile_targets').where('profile_id', '=', profile).where(kind, 'is not', null).execute()
}

/** Takes these away from the profiles they have. */
export async function deleteTargets(db: Db, kind: TargetKind, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += rowsAtOnce)
    await db
      .deleteFrom('dns_profile_targets')
      .where(kind, 'in', names.slice(at, at + rowsAtOnce))
      .execute()
}

export async function insertTargetRows(db: Db, rows: readonly DnsProfileTargetRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    await db
      .insertInto('dns_profile_targets')
      .values(rows.slice(at, at + rowsAtOnce))
      .execute()
}

/** Reads the peers that were put into these groups by hand. */
export async function groupPeerRows(
  db: Db,
  groups: readonly string[],
): Promise<{ group_id: string; peer_id: string }[]> {
  if (groups.length === 0) return []
  return db.selectFrom('access_group_peers').selectAll().where('group_id', 'in', groups).execute()
}

/** Reads these peers' ids and names, by name. */
export async function namedPeers(db: Db, profile: string): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('dns_profile_targets')
    .innerJoin('peers', 'peers.id', 'dns_profile_targets.peer_id')
    .select(['peers.id', 'peers.name'])
    .where('profile_id', '=', profile)
    .orderBy('peers.name_key')
    .execute()
}

/** Reads the names of all interfaces. */
export async function interfaceNames(db: Db): Promise<string[]> {
  return (await db.selectFrom('interfaces').select('name').orderBy('name').execute()).map((row) => row.name)
}

/** Reads the ids of all lists. */
export async function listIds(db: Db): Promise<Set<string>> {
  return new Set((await db.selectFrom('lists').select('id').execute()).map(({ id }) => id))
}

/** A peer, as far as its profile goes. */
export interface ProfilePeerRow {
  readonly id: string
  readonly interface: string
  /** Tags as they are compared, each on its line. */
  readonly tag_keys: string
}

/** Finds a peer with what decides about its profile. */
export function findProfilePeer(db: Db, id: string): Promise<(ProfilePeerRow & { name: string }) | undefined> {
  return db.selectFrom('peers').select(['id', 'name', 'interface', 'tag_keys']).where('id', '=', id).executeTakeFirst()
}
