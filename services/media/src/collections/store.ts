import type { Kysely } from 'kysely'
import type { CollectionRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** A collection with its number of jobs. */
export type CountedCollection = CollectionRow & { count: number }

/** Collections with their numbers of jobs, by name. */
export async function listCollections(db: Db): Promise<CountedCollection[]> {
  return countedCollections(db)
    .orderBy((row) => row.fn<string>('lower', ['collections.name']))
    .orderBy('collections.id')
    .execute()
}

export async function findCollection(db: Db, id: string): Promise<CountedCollection | undefined> {
  return countedCollections(db).where('collections.id', '=', id).executeTakeFirst()
}

const countedCollections = (db: Db) =>
  db
    .selectFrom('collections')
    .leftJoin('collection_jobs', 'collection_jobs.collection_id', 'collections.id')
    .select(['collections.id', 'collections.name', 'collections.created_at'])
    .select((row) => row.fn.count<number>('collection_jobs.job_id').as('count'))
    .groupBy(['collections.id', 'collections.name', 'collections.created_at'])

export async function countCollections(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('collections')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertCollection(db: Db, row: CollectionRow): Promise<void> {
  await db.insertInto('collections').values(row).execute()
}

/** Returns true if the collection exists. */
export async function renameCollection(db: Db, id: string, name: string): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('collections').set({ name }).where('id', '=', id).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns true if the collection existed. */
export async function deleteCollection(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('collections').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** The number of jobs in a collection and the place of the last one; undefined without the collection. */
export async function readCollection(db: Db, id: string): Promise<{ count: number; last: number } | undefined> {
  const row = await db
    .selectFrom('collections')
    .leftJoin('collection_jobs', 'collection_jobs.collection_id', 'collections.id')
    .select((of) => [
      of.fn.count<number>('collection_jobs.job_id').as('count'),
      of.fn.max('collection_jobs.position').as('last'),
    ])
    .where('collections.id', '=', id)
    .groupBy('collections.id')
    .executeTakeFirst()
  return row && { count: row.count, last: row.last ?? 0 }
}

/** Puts jobs at the end of a collection; those that are in it stay where they are. */
export async function addJobs(
  db: Db,
  collection: string,
  { ids, after }: { ids: readonly string[]; after: number },
): Promise<void> {
  const rows = ids.map((job_id, index) => ({ collection_id: collection, job_id, position: after + index + 1 }))
  await db
    .insertInto('collection_jobs')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['collection_id', 'job_id']).doNothing())
    .execute()
}

export async function removeJobs(db: Db, collection: string, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom('collection_jobs')
    .where('collection_id', '=', collection)
    .where('job_id', 'in', [...ids])
    .execute()
}
