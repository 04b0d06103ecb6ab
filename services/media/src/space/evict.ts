import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { ArtifactLedger } from '../artifacts/ledger.ts'
import { dropRows, type Place } from '../artifacts/ledger-store.ts'
import type { MediaEvent } from '../events.ts'
import { jobEvent } from '../jobs/job-events.ts'
import { tryLockJobs } from '../jobs/lock-store.ts'
import { findJobs } from '../jobs/store.ts'
import type { EvictionRow } from './tables.ts'
import type { Tables } from '../tables.ts'
import type { RoomPlan } from './plan-room.ts'
import { forgetFiles, insertEvictions, whichMayGo } from './store.ts'

/** Jobs of a plan were changed, or work on them began, while their files were about to go. */
export class PlanOutdated extends Error {
  /** Jobs that somebody is changing right now; a next plan waits for them. */
  readonly busy: readonly string[]

  constructor(busy: readonly string[] = []) {
    super('a plan is outdated')
    this.busy = busy
  }
}

/** Result of an eviction, to be completed when its transaction is through. */
export interface Evicted {
  readonly places: readonly Place[]
  readonly events: readonly MediaEvent[]
}

/** Locks the jobs of a plan, and checks only then whether their files may go: what began before is known by now. */
async function holdJobs(trx: Kysely<Tables>, ids: readonly string[], now: number): Promise<void> {
  const busy = await tryLockJobs(trx, ids)
  if (busy.length > 0) throw new PlanOutdated(busy)
  if ((await whichMayGo(trx, ids, now)).size < ids.length) throw new PlanOutdated()
}

/** Message of a job whose file went. */
const message = 'The file was deleted to make room'

/**
 * Takes the files of a plan from their jobs and logs it, in a transaction that holds the lock of the ledger. Throws
 * `PlanOutdated` unless all of them may go now: nothing can begin with them from here to the end of the transaction.
 */
export async function evict(
  trx: Kysely<Tables>,
  { copies, jobs }: RoomPlan,
  { artifacts, now, reason }: { artifacts: ArtifactLedger; now: number; reason: string },
): Promise<Evicted> {
  await holdJobs(trx, [...new Set([...copies.map(({ job_id }) => job_id), ...jobs.map(({ id }) => id)])], now)
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
    if (after === undefined) throw new PlanOutdated()
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
