import type { Kysely } from 'kysely'
import type { FollowedListRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Followed lists with the number of their known media, oldest first. */
export const listFollows = (db: Db): Promise<(FollowedListRow & { known: number })[]> =>
  followsWithCounts(db).orderBy('list.created_at').orderBy('list.id').execute()

/** One followed list with the number of its known media. */
export const findFollow = (db: Db, id: string): Promise<(FollowedListRow & { known: number }) | undefined> =>
  followsWithCounts(db).where('list.id', '=', id).executeTakeFirst()

const followsWithCounts = (db: Db) =>
  db
    .selectFrom('followed_lists as list')
    .selectAll('list')
    .select((row) =>
      row
        .selectFrom('list_media')
        .select(row.fn.countAll<number>().as('count'))
        .whereRef('list_media.list_id', '=', 'list.id')
        .$asScalar()
        .$notNull()
        .as('known'),
    )

export async function insertFollow(db: Db, row: FollowedListRow): Promise<void> {
  await db.insertInto('followed_lists').values(row).execute()
}

/** Values to change; undefined ones stay. */
type FollowValues = { readonly [Name in keyof Omit<FollowedListRow, 'id'>]?: FollowedListRow[Name] | undefined }

/** Changes a followed list; false when there is none. */
export async function updateFollow(db: Db, id: string, values: FollowValues): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('followed_lists').set(values).where('id', '=', id).executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteFollow(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('followed_lists').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Brings the next check of a list forward to a time, unless it is before. */
export async function bringForward(db: Db, id: string, next_at: number): Promise<void> {
  await db.updateTable('followed_lists').set({ next_at }).where('id', '=', id).where('next_at', '>', next_at).execute()
}

/** Makes a list due that is enabled; false when there is none. */
export async function makeDue(db: Db, id: string, next_at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('followed_lists')
    .set({ next_at })
    .where('id', '=', id)
    .where('is_enabled', '=', 1)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Takes the list whose check is due longest until `until`; undefined when none is due. Of two processes only one gets it. A check
 * that would be due after `latest` is due as well: the clock was put back.
 */
export async function claimFollow(
  db: Db,
  { now, until, latest }: { readonly now: number; readonly until: number; readonly latest: number },
): Promise<FollowedListRow | undefined> {
  const next = await db
    .selectFrom('followed_lists')
    .select(['id', 'lease_until'])
    .where('is_enabled', '=', 1)
    .where((row) => row.or([row('next_at', '<=', now), row('next_at', '>', latest)]))
    .where((row) => row.or([row('lease_until', 'is', null), row('lease_until', '<', now)]))
    .orderBy('next_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (next === undefined) return undefined
  return db
    .updateTable('followed_lists')
    .set({ lease_until: until })
    .where('id', '=', next.id)
    .where('is_enabled', '=', 1)
    .where((row) =>
      next.lease_until === null ? row('lease_until', 'is', null) : row('lease_until', '=', next.lease_until),
    )
    .returningAll()
    .executeTakeFirst()
}

/** Gives back every list; only while no other process checks any. */
export async function releaseClaims(db: Db): Promise<void> {
  await db.updateTable('followed_lists').set({ lease_until: null }).where('lease_until', 'is not', null).execute()
}

/** Writes the end of a check; false when another process has the list, or it is gone. */
export async function endClaim(
  db: Db,
  claim: Pick<FollowedListRow, 'id' | 'lease_until'>,
  values: Partial<Omit<FollowedListRow, 'id'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('followed_lists')
    .set({ ...values, lease_until: null })
    .where('id', '=', claim.id)
    .where('lease_until', '=', claim.lease_until)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Keys of the media of a list that were decided about. */
export async function knownMedia(db: Db, listId: string): Promise<Set<string>> {
  const rows = await db.selectFrom('list_media').select('media_key').where('list_id', '=', listId).execute()
  return new Set(rows.map(({ media_key }) => media_key))
}

/** Notes media of a list as decided about. */
export async function rememberMedia(
  db: Db,
  listId: string,
  { keys, seen_at }: { readonly keys: readonly string[]; readonly seen_at: number },
): Promise<void> {
  // The number of values in a statement is limited.
  for (let index = 0; index < keys.length; index += 300) {
    const rows = keys.slice(index, index + 300).map((media_key) => ({ list_id: listId, media_key, seen_at }))
    await db
      .insertInto('list_media')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['list_id', 'media_key']).doNothing())
      .execute()
  }
}
