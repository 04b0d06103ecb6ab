import type { Kysely } from 'kysely'
import type { Platform } from '../platforms/schema.ts'
import type { IntakeItemRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Adds items, and returns the ids of those that are new. Of the same that waits already two want it now: it belongs to no list. */
export async function insertItems(db: Db, rows: readonly IntakeItemRow[]): Promise<Set<string>> {
  const own = new Set(rows.map(({ id }) => id))
  const added = new Set<string>()
  // The number of values in a statement is limited.
  for (let index = 0; index < rows.length; index += 90) {
    const inserted = await db
      .insertInto('intake_items')
      .values(rows.slice(index, index + 90))
      .onConflict((conflict) => conflict.columns(['media_key', 'type', 'quality']).doUpdateSet({ list_id: null }))
      .returning('id')
      .execute()
    for (const { id } of inserted) if (own.has(id)) added.add(id)
  }
  return added
}

/** Counts the items of each platform; platforms without any are left out. */
export async function countItems(db: Db): Promise<{ platform: Platform; count: number }[]> {
  return db
    .selectFrom('intake_items')
    .select((row) => ['platform', row.fn.countAll<number>().as('count')])
    .groupBy('platform')
    .orderBy('platform')
    .execute()
}

/** The first item of a platform. */
export async function firstItem(db: Db, platform: Platform): Promise<IntakeItemRow | undefined> {
  return db
    .selectFrom('intake_items')
    .selectAll()
    .where('platform', '=', platform)
    .orderBy('added_at')
    .orderBy('position')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Deletes an item; false when it is gone already. */
export async function deleteItem(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('intake_items').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes the items of a platform, or all; returns how many. */
export async function deleteItems(db: Db, platform: Platform | undefined): Promise<number> {
  const query = db.deleteFrom('intake_items')
  const { numDeletedRows } = await (
    platform === undefined ? query : query.where('platform', '=', platform)
  ).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Times from which the next item of each platform may become a job. */
export async function readPaces(db: Db): Promise<Map<Platform, number>> {
  const rows = await db.selectFrom('platform_paces').selectAll().execute()
  return new Map(rows.map(({ platform, next_at }) => [platform, next_at]))
}

/** Sets the time from which the next item of a platform may become a job. */
export async function setPace(db: Db, platform: Platform, next_at: number): Promise<void> {
  await db
    .insertInto('platform_paces')
    .values({ platform, next_at })
    .onConflict((conflict) => conflict.column('platform').doUpdateSet({ next_at }))
    .execute()
}
