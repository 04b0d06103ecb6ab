import { likePattern } from '@hearth/database'
import { sql, type Kysely, type SqlBool } from 'kysely'
import type { AnyQuery } from '../any-query.ts'
import type { SecurityEventKind } from './security-event.ts'
import type { SecurityEventRow, SecurityLogTables } from './tables.ts'

type Db = Kysely<SecurityLogTables>

export const securityLogIn = (query: AnyQuery): Db => query as Db

/** Conditions that listed events meet. */
export interface SecurityEventFilter {
  /** Of this user alone. */
  readonly userId?: string | undefined
  readonly kind?: SecurityEventKind | undefined
  /** Part of a user's name, of what the event is about, or of an address. */
  readonly search?: string | undefined
  /** Later than this, milliseconds since the epoch. */
  readonly since: number
}

export async function insertSecurityEvent(db: Db, row: SecurityEventRow): Promise<void> {
  await db.insertInto('security_events').values(row).execute()
}

/** Events, newest first. */
export function listSecurityEvents(
  db: Db,
  filter: SecurityEventFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<SecurityEventRow[]> {
  return filtered(db, filter)
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

/** Events older than one of them, or the newest, newest first; for reading all of them piece by piece. */
export function listSecurityEventsBefore(
  db: Db,
  filter: SecurityEventFilter,
  { before, limit }: { before: Pick<SecurityEventRow, 'at' | 'id'> | undefined; limit: number },
): Promise<SecurityEventRow[]> {
  const { at = Number.MAX_SAFE_INTEGER, id = '' } = before ?? {}
  return filtered(db, filter)
    .selectAll()
    .where((row) => row.or([row('at', '<', at), row.and([row('at', '=', at), row('id', '<', id)])]))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function countSecurityEvents(db: Db, filter: SecurityEventFilter): Promise<number> {
  const { count } = await filtered(db, filter)
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function filtered(db: Db, { userId, kind, search = '', since }: SecurityEventFilter) {
  let found = db.selectFrom('security_events').where('at', '>', since)
  if (userId !== undefined) found = found.where('user_id', '=', userId)
  if (kind !== undefined) found = found.where('kind', '=', kind)
  if (search === '') return found
  const pattern = `%${likePattern(search.toLowerCase())}%`
  return found.where(
    sql<SqlBool>`(lower(username) like ${pattern} escape '\\' or lower(target) like ${pattern} escape '\\' or lower(address) like ${pattern} escape '\\')`,
  )
}

export async function deleteSecurityEventsUntil(db: Db, at: number): Promise<void> {
  await db.deleteFrom('security_events').where('at', '<=', at).execute()
}

/** Deletes the oldest events, of one kind or of all, until `kept` are left; a few more when some share a time. */
export async function keepNewestSecurityEvents(db: Db, kept: number, kind?: SecurityEventKind): Promise<void> {
  const rows = db.selectFrom('security_events').$if(kind !== undefined, (all) => all.where('kind', '=', kind as never))
  const newestToGo = await rows.select('at').orderBy('at', 'desc').offset(kept).limit(1).executeTakeFirst()
  if (newestToGo === undefined) return
  await db
    .deleteFrom('security_events')
    .$if(kind !== undefined, (all) => all.where('kind', '=', kind as never))
    .where('at', '<=', newestToGo.at)
    .execute()
}
