import type { Database } from '@hearth/database'
import type { Log } from '@hearth/runtime'
import type { Tables } from '../tables.ts'
import { findDerived } from '../delivery/derived-file.ts'
import type { MediaBus } from '../events.ts'
import { endsJob } from '../jobs/job-events.ts'
import { notFound } from '../problems.ts'
import { isResumable } from './separation.ts'
import { accountMark, noRecord, readSplitRecord, recordAfter, SeparationPaused } from './separation-record.ts'
import { runSplit, type RunSplitDependencies } from './run-split.ts'
import { takeLease } from './split-lease.ts'
import { createSplitProgress } from './split-progress.ts'
import { bothStems, stemArtifact, type WantedPart } from './wanted-part.ts'
import { JobGone, separationProblem } from './stem-problem.ts'
import { StemServiceError } from './stem-service-error.ts'
import { findSplit } from './store.ts'

export interface SeparationDependencies extends RunSplitDependencies {
  readonly database: Database<Tables>
  readonly bus: MediaBus
  readonly log: Log
}

/** Maximum number of concurrent splits, of all jobs and processes. */
const maxConcurrent = 2

interface Running {
  readonly jobId: string
  readonly controller: AbortController
  readonly end: Promise<void>
}

/** Creates the separations of this process. */
export function createSeparations(dependencies: SeparationDependencies) {
  const { artifacts, bus, database } = dependencies
  const allRunning = new Set<Running>()
  let isClosing = false
  const unsubscribe = bus.subscribe((event) => {
    for (const { jobId, controller } of allRunning)
      if (endsJob(event, jobId)) controller.abort(new JobGone('the job is gone'))
  })
  return {
    /** Resolves to true if both stems of a part are stored. */
    async isDone({ job, variant }: WantedPart): Promise<boolean> {
      const row = await findSplit(database.query, { jobId: job.id, variant })
      if (row?.status !== 'done') return false
      const found = await Promise.all(bothStems.map((stem) => findDerived(artifacts, job, stemArtifact(variant, stem))))
      return found.every((facts) => facts !== undefined)
    },
    /** Makes the stems, or continues to. Throws problems of the API. */
    async run(part: WantedPart, key: string): Promise<void> {
      if (isClosing) throw separationProblem(new SeparationPaused('the service is being stopped'))
      const { promise: end, resolve } = Promise.withResolvers<void>()
      const running: Running = { jobId: part.job.id, controller: new AbortController(), end }
      allRunning.add(running)
      try {
        await separate(dependencies, { part, key, controller: running.controller })
      } finally {
        allRunning.delete(running)
        resolve()
      }
    },
    /** Pauses running splits, so that they can be resumed. */
    async close(): Promise<void> {
      isClosing = true
      unsubscribe()
      const reason = new SeparationPaused('the service is being stopped')
      for (const { controller } of allRunning) controller.abort(reason)
      await Promise.all([...allRunning].map(({ end }) => end))
    },
  }
}

async function separate(
  dependencies: SeparationDependencies,
  { part, key, controller }: { part: WantedPart; key: string; controller: AbortController },
): Promise<void> {
  const { artifacts, bus, timers } = dependencies
  const { job, variant, durationMs } = part
  const source = await artifacts.stat(job.id, job.artifact ?? '')
  if (source === undefined) throw notFound('file')
  const origin = { source: source.tag, account: accountMark(key) }
  const claim = { jobId: job.id, variant, durationMs, max: maxConcurrent }
  const lease = await takeLease(
    dependencies,
    { ...claim, recordAfter: (previous) => recordAfter(previous, origin) },
    (reason) => controller.abort(reason),
  )
  const progress = createSplitProgress(bus, job.id, () => timers.monotonic())
  try {
    const separation = readSplitRecord(lease.row, origin)
    if (separation === undefined) throw new Error('a split was claimed without its record')
    await runSplit(dependencies, { part, key, origin, separation, lease, progress, signal: controller.signal })
    await lease.release('done')
    progress.done()
  } catch (error) {
    if (error instanceof SeparationPaused) await lease.release('running')
    else if (!(error instanceof JobGone) && isResumable(error)) await lease.release('failed')
    else await lease.release('failed', noRecord)
    // What was stopped after both stems were kept is done.
    if (lease.isFinished) return progress.done()
    const problem = separationProblem(error)
    const { code, detail, requestId } = error instanceof StemServiceError ? error : {}
    const facts = { err: error, job: job.id, variant, code, detail, requestId }
    dependencies.log.warn(facts, 'a sound was not separated')
    progress.failed(problem instanceof Error ? problem.message : 'The stems could not be made')
    throw problem
  }
}
