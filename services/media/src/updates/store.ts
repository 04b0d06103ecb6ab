import type { Kysely } from 'kysely'
import type { JobRow, Tables } from '../tables.ts'
import { completedStatuses } from '../jobs/job-machine.ts'

type Db = Kysely<Tables>

/** The media that were fetched last, each once, newest first. */
export async function lastFetched(db: Db, limit: number): Promise<Pick<JobRow, 'url' | 'platform'>[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['url', 'platform', 'media_key'])
    .where('status', 'in', completedStatuses)
    .orderBy('finished_at', 'desc')
    .limit(20)
    .execute()
  const once = new Map(rows.map(({ url, platform, media_key }) => [media_key, { url, platform }]))
  return [...once.values()].slice(0, limit)
}

/** Results of the first jobs queued after a timestamp: the code of the failure, or null for success. */
export async function firstEnds(
  db: Db,
  { since, limit }: { since: number; limit: number },
): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['status', 'error_code'])
    .where('status', 'in', [...completedStatuses, 'error'])
    .where('queued_at', '>=', since)
    .orderBy('finished_at')
    .limit(limit)
    .execute()
  return rows.map(({ status, error_code }) => (status === 'error' ? (error_code ?? 'failed') : null))
}
