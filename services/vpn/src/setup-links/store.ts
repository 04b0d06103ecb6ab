import { type Kysely, sql } from 'kysely'
import type { PeerRow, SetupLinkRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Finds the peer that a link is made for; `private_key` is the one that its configuration has. */
export function findLinkedPeer(db: Db, id: string): Promise<Pick<PeerRow, 'name' | 'private_key'> | undefined> {
  return db.selectFrom('peers').select('name').select(handedKey).where('id', '=', id).executeTakeFirst()
}

/** The private key in the configuration of a peer: that of the key which waits, when one does. Null when it is not here. */
const handedKey = sql<string | null>`
  case when peers.next_public_key is null then peers.private_key else peers.next_private_key end
`.as('private_key')

/** Reads the links of a peer, newest first. */
export function listSetupLinkRows(db: Db, peerId: string): Promise<SetupLinkRow[]> {
  return db
    .selectFrom('setup_links')
    .selectAll()
    .where('peer_id', '=', peerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Finds a link with the name of its peer. */
export function findSetupLinkRow(db: Db, id: string): Promise<(SetupLinkRow & { peer_name: string }) | undefined> {
  return db
    .selectFrom('setup_links')
    .innerJoin('peers', 'peers.id', 'setup_links.peer_id')
    .selectAll('setup_links')
    .select('peers.name as peer_name')
    .where('setup_links.id', '=', id)
    .executeTakeFirst()
}

/** Finds the link with this hash that works at a time: open, for a peer that may connect and whose private key is here. */
export function findWorkingLink(
  db: Db,
  hash: string,
  now: number,
): Promise<Pick<SetupLinkRow, 'id' | 'peer_id'> | undefined> {
  return db
    .selectFrom('setup_links')
    .innerJoin('peers', 'peers.id', 'setup_links.peer_id')
    .select(['setup_links.id', 'setup_links.peer_id'])
    .where('setup_links.hash', '=', hash)
    .where('setup_links.used_at', 'is', null)
    .where('setup_links.revoked_at', 'is', null)
    .where('setup_links.expires_at', '>', now)
    .where('peers.enabled', '=', 1)
    .where(handedKey.expression, 'is not', null)
    .where((where) => where.or([where('peers.expires_at', 'is', null), where('peers.expires_at', '>', now)]))
    .executeTakeFirst()
}

/** Uses a link up. Returns false when it was used or revoked before: of several that try, one wins. */
export async function useSetupLink(
  db: Db,
  id: string,
  use: Pick<SetupLinkRow, 'used_at' | 'used_from'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('setup_links')
    .set(use)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Revokes a link, unless it was used. */
export async function revokeSetupLink(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('setup_links')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Adds links, all or none. A thousand, which is the most, take a third of the parameters that a statement may have. */
export async function insertSetupLinkRows(db: Db, rows: readonly SetupLinkRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('setup_links').values(rows).execute()
}

/** Finds which of these peers have their private keys here. */
export async function peersWithKeys(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('peers')
    .select('id')
    .where('id', 'in', ids)
    .where('private_key', 'is not', null)
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteSetupLinkRows(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('setup_links').where('id', 'in', ids).execute()
}
