import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { PrivateDnsRow } from './tables.ts'

type Db = Kysely<Tables>

/** Finds a peer with its secret, as far as it has one. */
export function findPrivateDns(db: Db, peerId: string) {
  return db
    .selectFrom('peers')
    .leftJoin('peer_private_dns', 'peer_private_dns.peer_id', 'peers.id')
    .select(['peers.name', 'peer_private_dns.created_at', 'peer_private_dns.created_by'])
    .where('peers.id', '=', peerId)
    .executeTakeFirst()
}

/** Reads the hashes of all secrets, with the numbers that stand for the peers in the resolver. */
export function privateDnsClients(db: Db): Promise<{ hash: string; number: number }[]> {
  return db
    .selectFrom('peer_private_dns')
    .innerJoin('peers', 'peers.id', 'peer_private_dns.peer_id')
    .select(['peer_private_dns.hash', 'peers.dns_number as number'])
    .orderBy('peers.dns_number')
    .execute()
}

/** The number of peers that have a secret. */
export async function countPrivateDns(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('peer_private_dns')
    .select((query) => query.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Gives a peer this secret, in the place of the one it had. */
export async function putPrivateDns(db: Db, row: PrivateDnsRow): Promise<void> {
  const { peer_id: _id, ...values } = row
  await db
    .insertInto('peer_private_dns')
    .values(row)
    .onConflict((conflict) => conflict.column('peer_id').doUpdateSet(values))
    .execute()
}

export async function deletePrivateDns(db: Db, peerId: string): Promise<void> {
  await db.deleteFrom('peer_private_dns').where('peer_id', '=', peerId).execute()
}
