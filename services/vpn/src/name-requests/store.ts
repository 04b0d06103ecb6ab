import type { Page } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { NameRequestListQuery } from './schema.ts'
import type { NameRequestRow } from './tables.ts'

type Db = Kysely<Tables>

/** A request with the name of its peer. */
export type NamedRequestRow = NameRequestRow & { readonly peer: string }

const withPeers = (db: Db) =>
  db
    .selectFrom('name_requests')
    .innerJoin('peers', 'peers.id', 'name_requests.peer_id')
    .selectAll('name_requests')
    .select('peers.name as peer')

/** Reads requests: open ones first, then the newest. */
export async function listRequestRows(db: Db, query: NameRequestListQuery): Promise<Page<NamedRequestRow>> {
  const { status, limit, offset } = query
  const rows = await withPeers(db)
    .$if(status !== undefined, (found) => found.where('status', '=', status ?? 'open'))
    .orderBy((order) => order.case().when('status', '=', 'open').then(0).else(1).end())
    .orderBy('name_requests.created_at', 'desc')
    .orderBy('name_requests.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total: await countRequests(db, status === undefined ? {} : { status }) }
}

/** Reads the requests of a peer, newest first. */
export function peerRequestRows(db: Db, peerId: string, limit: number): Promise<NameRequestRow[]> {
  return db
    .selectFrom('name_requests')
    .selectAll()
    .where('peer_id', '=', peerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export function findRequestRow(db: Db, id: string): Promise<NamedRequestRow | undefined> {
  return withPeers(db).where('name_requests.id', '=', id).executeTakeFirst()
}

/** The open request of a peer for a name. */
export function findOpenRequest(db: Db, peerId: string, domain: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('name_requests')
    .select('id')
    .where('peer_id', '=', peerId)
    .where('domain', '=', domain)
    .where('status', '=', 'open')
    .executeTakeFirst()
}

/** Counts requests: those of a peer, those of a status, or all. */
export async function countRequests(
  db: Db,
  { status, peerId }: { readonly status?: NameRequestRow['status']; readonly peerId?: string },
): Promise<number> {
  const { count } = await db
    .selectFrom('name_requests')
    .select((row) => row.fn.countAll().as('count'))
    .$if(status !== undefined, (found) => found.where('status', '=', status ?? 'open'))
    .$if(peerId !== undefined, (found) => found.where('peer_id', '=', peerId ?? ''))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertRequestRow(db: Db, row: NameRequestRow): Promise<void> {
  await db.insertInto('name_requests').values(row).execute()
}

/** Answers a request that is open; false when it is not. */
export async function answerRequestRow(
  db: Db,
  id: string,
  answer: Pick<NameRequestRow, 'status' | 'allowed_for' | 'answer' | 'answered_at' | 'answered_by'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('name_requests')
    .set(answer)
    .where('id', '=', id)
    .where('status', '=', 'open')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function deleteRequestRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('name_requests').where('id', '=', id).execute()
}

/** Deletes the requests that were answered before a time. */
export async function deleteAnsweredBefore(db: Db, time: number): Promise<void> {
  await db.deleteFrom('name_requests').where('status', '!=', 'open').where('answered_at', '<', time).execute()
}

/** The id of the request that was answered longest ago; undefined when all are open. */
export async function oldestAnswered(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('name_requests')
    .select('id')
    .where('status', '!=', 'open')
    .orderBy('answered_at')
    .executeTakeFirst()
  return row?.id
}
