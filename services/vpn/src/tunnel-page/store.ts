import type { Kysely } from 'kysely'
import type { PeerRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Finds the peer that has a tunnel address on an interface. */
export function findPeerAt(
  db: Db,
  { interface: name, address }: { readonly interface: string; readonly address: string },
): Promise<Pick<PeerRow, 'id' | 'name' | 'enabled' | 'expires_at'> | undefined> {
  return db
    .selectFrom('peers')
    .select(['id', 'name', 'enabled', 'expires_at'])
    .where('interface', '=', name)
    .where(address.includes(':') ? 'ipv6' : 'ip', '=', address)
    .executeTakeFirst()
}

/** True when a peer is found under this label in DNS. */
export async function isLabelOfPeer(db: Db, label: string): Promise<boolean> {
  const row = await db.selectFrom('peer_names').select('peer_id').where('label', '=', label).executeTakeFirst()
  return row !== undefined
}
