import type { Database } from '@hearth/database'
import type { Kysely } from 'kysely'
import { SettledClock, type Log, type Timers } from '@hearth/runtime'
import type { ArtifactLedger } from '../artifacts/ledger.ts'
import type { StoragePresence } from '../artifacts/presence.ts'
import type { Tables } from '../tables.ts'
import type { MediaBus } from '../events.ts'
import { jobEvent } from '../jobs/job-events.ts'
import { lockJobs } from '../jobs/lock-store.ts'
import type { WorkFolders } from '../jobs/work-folders.ts'
import type { Settings } from '../settings/schema.ts'
import { forgetFiles } from '../space/store.ts'
import { expiredJobs, goingOn, isExpired } from './store.ts'
import { sweepArtifacts, type SweepOptions } from './sweep-artifacts.ts'

/** Interval of the upkeep and minimum age of a stray file, milliseconds. */
const every = 3_600_000
const strayAge = 15 * 60_000
const day = 86_400_000

export interface UpkeepDependencies {
  readonly database: Database<Tables>
  readonly db: Kysely<Tables>
  readonly artifacts: ArtifactLedger
  readonly presence: StoragePresence
  readonly folders: WorkFolders
  readonly bus: MediaBus
  readonly timers: Timers
  readonly settings: () => Settings
  readonly log: Log
  /** Clean-ups of other features. They delete nothing for its age while the clock has not settled. */
  readonly others: readonly ((isSettled: boolean) => Promise<void>)[]
}

/** Creates the upkeep, which deletes files past their retention and files without a job; it runs hourly after `start`. */
export function createUpkeep(dependencies: UpkeepDependencies) {
  const { presence, log } = dependencies
  const clock = new SettledClock(dependencies.timers)
  /** Looks for the storage. While it is missing nothing of the record of it changes. */
  const look = async () => {
    if (await presence.look()) log.error('none of the stored files is in ARTIFACTS; a disk may not be mounted')
  }
  const run = async () => {
    await look()
    // A machine may start with a clock that is far ahead, and then everything looks old.
    const isSettled = clock.isSettled()
    if (isSettled && !presence.isMissing) await retire(dependencies)
    await sweep(dependencies, { age: strayAge })
    for (const other of dependencies.others) await other(isSettled)
  }
  let timer: NodeJS.Timeout | undefined
  const round = () =>
    void run().catch((error: unknown) => dependencies.log.warn({ err: error }, 'old files could not be removed'))
  return {
    /** Runs once. */
    run,
    /** Deletes leftovers at once; only while no job runs, in any process. What takes long is left to `start`. */
    async clear(): Promise<void> {
      await look()
      await sweep(dependencies, { age: 0, isAdopting: false })
    },
    start(): void {
      round()
      timer = setInterval(round, every).unref()
    },
    close: () => clearInterval(timer),
  }
}

/** Deletes the files of jobs past their time that nobody pinned or works on; the rows stay, for the list and the statistics. */
async function retire({ db, artifacts, bus, timers, settings }: UpkeepDependencies): Promise<void> {
  const { retention_days } = settings()
  if (retention_days === 0) return
  const expiry = { before: timers.now() - retention_days * day, now: timers.now() }
  for (const job of await expiredJobs(db, expiry)) {
    const message = `The file was deleted after ${retention_days} days`
    const row = await db.transaction().execute(async (trx) => {
      await lockJobs(trx, [job.id])
      // It may have been pinned, or work on it may have begun.
      if (!(await isExpired(trx, job.id, expiry))) return undefined
      return forgetFiles(trx, job.id, message)
    })
    if (row === undefined) continue
    await artifacts.removeJob(job.id)
    bus.publish(jobEvent(job, row, timers.now()))
  }
}

/** Deletes what a crash left: working folders, and stored files without a job. */
async function sweep(dependencies: UpkeepDependencies, options: SweepOptions): Promise<void> {
  const { db, folders } = dependencies
  await folders.sweep((ids) => goingOn(db, ids))
  if (!dependencies.presence.isMissing) await sweepArtifacts(dependencies, options)
}
