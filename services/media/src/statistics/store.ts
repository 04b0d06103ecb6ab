import { sql, type Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { completedStatuses } from '../jobs/job-machine.ts'

type Db = Kysely<Tables>

/** Milliseconds of a day; the same number stands in the SQL, where a parameter would make it a division of fractions. */
const day = 86_400_000

/** Sums over completed jobs that finished after a timestamp. */
export async function readTotals(db: Db, after: number) {
  return completed(db, after)
    .select((row) => [
      row.fn.countAll<number>().as('jobs'),
      sql<number>`coalesce(sum(filesize_bytes), 0)`.as('bytes'),
      sql<number>`coalesce(sum(duration_ms), 0)`.as('durationMs'),
      sql<number>`coalesce(sum(stem_ms), 0)`.as('stemMs'),
    ])
    .executeTakeFirstOrThrow()
}

/** The same by platform, and how many failed; the most used first. */
export async function readPlatforms(db: Db, after: number) {
  const isFailed = sql<number>`case when status = 'error' then 1 else 0 end`
  return db
    .selectFrom('jobs')
    .select([
      'platform',
      sql<number>`sum(1 - ${isFailed})`.as('jobs'),
      sql<number>`coalesce(sum(case when status = 'error' then 0 else filesize_bytes end), 0)`.as('bytes'),
      sql<number>`sum(${isFailed})`.as('failed'),
    ])
    .where('status', 'in', [...completedStatuses, 'error'])
    .where('finished_at', '>', after)
    .groupBy('platform')
    .orderBy('jobs', 'desc')
    .orderBy('platform')
    .execute()
}

/** By day in UTC, numbered from the epoch; days without jobs are left out. */
export async function readDays(db: Db, { after, since }: { readonly after: number; readonly since: number }) {
  const number = sql<number>`finished_at / 86400000`
  return completed(db, after)
    .where('finished_at', '>=', since * day)
    .select((row) => [
      number.as('day'),
      row.fn.countAll<number>().as('jobs'),
      sql<number>`coalesce(sum(filesize_bytes), 0)`.as('bytes'),
    ])
    .groupBy(number)
    .orderBy('day')
    .execute()
}

/** The tempi of the jobs that finished last. */
export async function readTempi(db: Db, { after, limit }: { after: number; limit: number }): Promise<number[]> {
  const rows = await completed(db, after)
    .select('bpm')
    .where('bpm', 'is not', null)
    .orderBy('finished_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.flatMap(({ bpm }) => bpm ?? [])
}

const completed = (db: Db, after: number) =>
  db.selectFrom('jobs').where('status', 'in', completedStatuses).where('finished_at', '>', after)
