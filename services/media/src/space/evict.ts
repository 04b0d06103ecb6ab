import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { ArtifactLedger } from '../artifacts/ledger.ts'
import { dropRows, type Place } from '../artifacts/ledger-store.ts'
import type { MediaEvent } from '../events.ts'
import { jobEvent } from '../jobs/job-events.ts'
import { findJobs } from '../jobs/store.ts'
import type { EvictionRow } from './tables.ts'
import type { Tables } from '../tables.ts'
import { forgetFiles } from '../upkeep/store.ts'
import type { RoomPlan } from './plan-room.ts'
import { insertEvictions } from './store.ts'

/** A job of a plan was pinned or changed while its files were about to go. */
export class PlanOutdated extends Error {}

/** Result of an eviction, to be completed when its transaction is through. */
export interface Evicted {
  readonly places: readonly Place[]
  readonly events: readonly MediaEvent[]
}

/** Message of a job whose file went. */
const message = 'The file was deleted to make room'

/** Takes the files of a plan from their jobs and logs it, in a transaction that holds the lock of the ledger. */
export async function evict(
  trx: Kysely<Tables>,
  { copies, jobs }: RoomPlan,
  { artifacts, now, reason }: { artifacts: ArtifactLedger; now: number; reason: string },
): Promise<Evicted> {
  const places = await dropRows(trx, copies, now)
  const log = Map.groupBy(copies, ({ job_id }) => job_id)
  const rows = [...log].map(([job_id, files]): EvictionRow => ({
    id: randomUUID(),
    evicted_at: now,
    job_id,
    title: files[0]?.title ?? '',
    kind: 'copies',
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    reason,
  }))
  const before = await findJobs(
    trx,
    jobs.map(({ id }) => id),
  )
  const events: MediaEvent[] = []
  for (const { id, title, bytes } of jobs) {
    const after = await forgetFiles(trx, id, message)
    if (after?.pinned !== 0) throw new PlanOutdated(id)
    places.push(...(await artifacts.dropJob(trx, id)))
    events.push(
      jobEvent(
        before.find((job) => job.id === id),
        after,
        now,
      ),
    )
    rows.push({ id: randomUUID(), evicted_at: now, job_id: id, title, kind: 'download', bytes, reason })
  }
  await insertEvictions(trx, rows)
  return { places, events }
}
