import type { Kysely } from 'kysely'
import { completedStatuses } from '../jobs/job-machine.ts'
import type { Platform } from '../platforms/schema.ts'
import type { Tables } from '../tables.ts'
import type { Outcome } from './platform-health.ts'

type Db = Kysely<Tables>

/** The last downloads of a platform that completed or failed, newest first. */
export async function lastOutcomes(db: Db, platform: Platform, limit: number): Promise<Outcome[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['status', 'error_code'])
    .where('platform', '=', platform)
    .where('finished_at', 'is not', null)
    .where('status', 'in', [...completedStatuses, 'error'])
    .orderBy('finished_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ status, error_code }) => (status === 'error' ? (error_code ?? 'failed') : null))
}

/** Time at which the last download of a platform completed. */
export async function lastCompletion(db: Db, platform: Platform): Promise<number | null> {
  const row = await db
    .selectFrom('jobs')
    .select('finished_at')
    .where('platform', '=', platform)
    .where('finished_at', 'is not', null)
    .where('status', 'in', completedStatuses)
    .orderBy('finished_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.finished_at ?? null
}

/** Counts the queued jobs by platform; platforms without any are left out. */
export async function countWaiting(db: Db): Promise<Map<Platform, number>> {
  const rows = await db
    .selectFrom('jobs')
    .select((row) => ['platform', row.fn.countAll<number>().as('count')])
    .where('status', '=', 'queued')
    .groupBy('platform')
    .execute()
  return new Map(rows.map(({ platform, count }) => [platform, count]))
}
