import type { Kysely } from 'kysely'
import type { Log, Timers } from '@hearth/runtime'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Tables } from '../database/tables.ts'
import type { MediaBus } from '../events/schema.ts'
import { isActive } from '../jobs/job-machine.ts'
import { jobEvent } from '../jobs/job-events.ts'
import { findJob } from '../jobs/store.ts'
import type { WorkFolders } from '../jobs/work-folders.ts'
import type { Settings } from '../settings/schema.ts'
import { expiredJobs, forgetFiles, goingOn, knownJobs } from './store.ts'

/** How often the house is kept, and how old a stray file must be, milliseconds. */
const every = 3_600_000
const strayAge = 15 * 60_000
const day = 86_400_000

/** Removes what nobody needs any more: files past their time, and files nobody knows. */
export interface Upkeep {
  start(): void
  /** Removes at once what an earlier life left. Only while nobody works, here or elsewhere. */
  clear(): Promise<void>
  /** One round. */
  run(): Promise<void>
  close(): void
}

export interface UpkeepParts {
  readonly db: Kysely<Tables>
  readonly artifacts: ArtifactStore
  readonly folders: WorkFolders
  readonly bus: MediaBus
  readonly timers: Timers
  readonly settings: () => Settings
  readonly log: Log
  /** What other features keep for a while. */
  readonly others: readonly (() => Promise<void>)[]
}

export function createUpkeep(parts: UpkeepParts): Upkeep {
  const run = async () => {
    await retire(parts)
    await sweep(parts, strayAge)
    for (const other of parts.others) await other()
  }
  let timer: NodeJS.Timeout | undefined
  const round = () =>
    void run().catch((error: unknown) => parts.log.warn({ err: error }, 'old files could not be removed'))
  return {
    run,
    clear: () => sweep(parts, 0),
    start() {
      round()
      timer = setInterval(round, every).unref()
    },
    close: () => clearInterval(timer),
  }
}

/** Deletes the files of jobs past their time; the rows stay, for the list and the statistics. */
async function retire({ db, artifacts, bus, timers, settings }: UpkeepParts): Promise<void> {
  const { retention_days } = settings()
  if (retention_days === 0) return
  for (const job of await expiredJobs(db, timers.now() - retention_days * day)) {
    const row = await forgetFiles(db, job.id, `The file was deleted after ${retention_days} days`)
    if (row === undefined) continue
    await artifacts.removeJob(job.id)
    bus.publish(jobEvent(job, row, timers.now()))
  }
}

/** Deletes what a crash left: working folders and stored files without a job. */
async function sweep({ db, artifacts, folders, timers }: UpkeepParts, age: number): Promise<void> {
  const kept = new Set(await goingOn(db))
  await folders.sweep((id) => kept.has(id))
  const known = new Set(await knownJobs(db))
  for await (const { jobId, modifiedAt } of artifacts.jobs()) {
    if (known.has(jobId) || timers.now() - modifiedAt < age) continue
    // It may have been made since the list was read.
    const job = await findJob(db, jobId)
    if (job === undefined || (!isActive(job.status) && job.artifact === null)) await artifacts.removeJob(jobId)
  }
}
