import { sql, type ExpressionBuilder, type Kysely } from 'kysely'
import { isHeldBack } from '../pauses/store.ts'
import type { JobRow, Tables } from '../tables.ts'
import { activeStatuses, completedStatuses, statusAfter, statusesBefore, type JobStep } from './job-machine.ts'
import { lockJobs } from './lock-store.ts'
import type { JobSort } from './schema.ts'

type Db = Kysely<Tables>

/** Interval at which the use of a job is written, milliseconds. */
const useInterval = 3_600_000

/** Returns true if a use of the job is worth a write. */
export const isUseStale = ({ last_used_at }: Pick<JobRow, 'last_used_at'>, now: number): boolean =>
  last_used_at === null || last_used_at <= now - useInterval

/** Values that a step may change beside the status. */
export type JobValues = Partial<Omit<JobRow, 'id' | 'status'>>

/** A step of one job. With an attempt it applies only while the job belongs to that attempt. */
export interface Advance {
  readonly id: string
  readonly step: JobStep
  readonly attempt?: number
  readonly values?: JobValues
}

/**
 * Takes a step when the job is in a state that allows it; otherwise nothing happens and the answer is undefined. One statement,
 * so that of two concurrent steps only one applies.
 */
export async function advanceJob(db: Db, { id, step, attempt, values = {} }: Advance): Promise<JobRow | undefined> {
  let query = db
    .updateTable('jobs')
    .set({ ...values, status: statusAfter(step) })
    .where('id', '=', id)
    .where('status', 'in', statusesBefore(step))
  if (attempt !== undefined) query = query.where('attempt', '=', attempt)
  return query.returningAll().executeTakeFirst()
}

/** Writes what an attempt found out, while it still has the job. */
export async function noteOnJob(
  db: Db,
  { id, attempt, values }: { id: string; attempt: number; values: JobValues },
): Promise<JobRow | undefined> {
  return db
    .updateTable('jobs')
    .set(values)
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('status', 'in', activeStatuses)
    .returningAll()
    .executeTakeFirst()
}

/** Pins a job, or unpins it; undefined when it is so already, or gone. */
export async function setPinned(db: Db, id: string, isPinned: boolean): Promise<JobRow | undefined> {
  const pinned = isPinned ? 1 : 0
  return db
    .updateTable('jobs')
    .set({ pinned })
    .where('id', '=', id)
    .where('pinned', '<>', pinned)
    .returningAll()
    .executeTakeFirst()
}

/** Notes that the file of a job is used, at most once an hour. */
export async function touchJob(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<=', now - useInterval)]))
    .execute()
}

/** Sets the tempo of a finished job by hand; undefined when it is not finished. */
export async function setTempo(db: Db, id: string, bpm: number): Promise<JobRow | undefined> {
  return db
    .updateTable('jobs')
    .set({ bpm, bpm_confidence: 1 })
    .where('id', '=', id)
    .where('status', 'in', completedStatuses)
    .returningAll()
    .executeTakeFirst()
}

/** Adds a job. */
export async function insertJob(db: Db, row: JobRow): Promise<void> {
  await db.insertInto('jobs').values(row).execute()
}

/** Returns a job by its id. */
export async function findJob(db: Db, id: string): Promise<JobRow | undefined> {
  return db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
}

const sortColumns = {
  title: sql<string>`lower(video_title)`,
  duration: sql<number>`duration_ms`,
  bpm: sql<number>`bpm`,
  key: sql<number>`musical_key`,
  loudness: sql<number>`loudness_lufs`,
} satisfies Record<Exclude<JobSort, 'created'>, unknown>

/** A page of the list. */
export interface ListPage {
  readonly sort?: JobSort
  readonly order?: 'asc' | 'desc' | undefined
  readonly offset: number
  readonly limit: number
}

/** A page of jobs. Without a sort, and among equals, the newest comes first; jobs without the value come last. */
export async function listJobs(db: Db, { sort = 'created', order, offset, limit }: ListPage): Promise<JobRow[]> {
  if (sort !== 'created') return listSorted(db, { sort, order: order ?? 'asc', offset, limit })
  const age = order ?? 'desc'
  const query = db.selectFrom('jobs').selectAll().orderBy('created_at', age).orderBy('id', age)
  return query.limit(limit).offset(offset).execute()
}

/** Sorts ids alone, because whole rows of a long list are slow to sort, and reads the rows of the page. */
async function listSorted(
  db: Db,
  {
    sort,
    order,
    offset,
    limit,
  }: ListPage & { readonly sort: keyof typeof sortColumns; readonly order: 'asc' | 'desc' },
): Promise<JobRow[]> {
  const page = await db
    .selectFrom('jobs')
    .select('id')
    .orderBy(sortColumns[sort], (by) => by[order]().nullsLast())
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return findJobs(
    db,
    page.map(({ id }) => id),
  )
}

/** Returns the jobs of these ids in their order; ids of no job are left out. At most some hundred. */
export async function findJobs(db: Db, ids: readonly string[]): Promise<JobRow[]> {
  if (ids.length === 0) return []
  const places = new Map(ids.map((id, index) => [id, index]))
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .where('id', 'in', [...places.keys()])
    .execute()
  return rows.toSorted((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0))
}

/** The newest finished jobs of a type. */
export async function newestFinished(db: Db, type: JobRow['type'], limit: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('type', '=', type)
    .where('status', 'in', completedStatuses)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

type SameMedia = Pick<JobRow, 'media_key' | 'type' | 'quality'>

/** The newest job for the same media that is running or done, with its file or without. */
export const findDuplicate = (db: Db, wanted: SameMedia): Promise<JobRow | undefined> =>
  duplicatesOf(db, wanted).executeTakeFirst()

/** The newest job for the same media that is running, or done with its file. */
export const findPresent = (db: Db, wanted: SameMedia): Promise<JobRow | undefined> =>
  duplicatesOf(db, wanted).where(isPresent).executeTakeFirst()

const duplicatesOf = (db: Db, wanted: SameMedia) =>
  db
    .selectFrom('jobs')
    .selectAll()
    .where('media_key', '=', wanted.media_key)
    .where('type', '=', wanted.type)
    .where('quality', '=', wanted.quality)
    .where('status', 'not in', ['error', 'cancelled'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)

/** True of a job that has its file, or may still get it. */
const isPresent = (row: ExpressionBuilder<Tables, 'jobs'>) =>
  row.or([row('status', 'in', ['queued', ...activeStatuses]), row('artifact', 'is not', null)])

/** Another finished job for the same media, whose file was made in the same way and is stored; the newest. */
export async function findTwin(db: Db, job: JobRow, outputForm: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('media_key', '=', job.media_key)
    .where('type', '=', job.type)
    .where('quality', '=', job.quality)
    .where('status', 'in', completedStatuses)
    .where('artifact', 'is not', null)
    .where('output_form', '=', outputForm)
    .where('id', '<>', job.id)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Ids of running jobs, and of finished ones with their files, of a type by their media; of several the newest. */
export async function findByMedia(
  db: Db,
  { keys, type }: { readonly keys: readonly string[]; readonly type: JobRow['type'] },
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  // The number of values in a statement is limited.
  for (let index = 0; index < keys.length; index += 500) {
    const rows = await db
      .selectFrom('jobs')
      .select(['id', 'media_key'])
      .where('media_key', 'in', keys.slice(index, index + 500))
      .where('type', '=', type)
      .where('status', 'not in', ['error', 'cancelled'])
      .where(isPresent)
      .orderBy('created_at')
      .execute()
    for (const { id, media_key } of rows) found.set(media_key, id)
  }
  return found
}

/** Counts the queued jobs. */
export async function countQueued(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('jobs')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow()
  return count
}

/** Returns the first queued job whose platform takes it. */
export async function firstQueued(db: Db, now: number): Promise<{ id: string; attempt: number } | undefined> {
  return db
    .selectFrom('jobs')
    .select(['id', 'attempt'])
    .where('status', '=', 'queued')
    .where((row) => row.not(isHeldBack(now)))
    .orderBy('queued_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Renews the lease of an attempt; false when another attempt has the job. */
export async function renewLease(
  db: Db,
  { id, attempt, until }: { id: string; attempt: number; until: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ lease_until: until })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('status', 'in', activeStatuses)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns jobs whose lease has ended. */
export async function findLost(db: Db, now: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('status', 'in', activeStatuses)
    .where((row) => row.or([row('lease_until', 'is', null), row('lease_until', '<', now)]))
    .execute()
}

export async function jobIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('jobs').select('id').execute()
  return rows.map(({ id }) => id)
}

/** Deletes jobs; `before` is called with a part of them, in the transaction that deletes this part. */
export async function deleteJobRows(
  db: Db,
  ids: readonly string[],
  before: (trx: Db, part: readonly string[]) => Promise<void>,
): Promise<void> {
  // The number of values in a statement is limited.
  for (let index = 0; index < ids.length; index += 500) {
    const part = ids.slice(index, index + 500)
    await db.transaction().execute(async (trx) => {
      await lockJobs(trx, part)
      await before(trx, part)
      await trx.deleteFrom('jobs').where('id', 'in', part).execute()
    })
  }
}
