import { acquireLock, type Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import { lockJobs } from '../jobs/lock-store.ts'
import { findJob } from '../jobs/store.ts'
import type { StemSplitRow, Tables } from '../tables.ts'
import { conflict, notFound, unavailable } from '../problems.ts'
import { addStemTime, claimSplit, keepSplit, type SplitClaim } from './store.ts'

/** The split belongs to another owner, or its job is gone. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export interface LeaseDependencies {
  readonly database: Database<Tables>
  readonly timers: Timers
  readonly log: Log
}

/** Length of a lease and interval of its renewal, milliseconds. */
const [length, beat] = [60_000, 15_000]
/** Number of the lock under which splits are claimed on PostgreSQL. */
const splitLock = 8_103_003

/**
 * Takes a split, or throws a problem: 409 when another owner has it, 503 when too many run. `onLost` is called when the lease is
 * gone, at the latest when it would have been renewed.
 */
export async function takeLease(
  dependencies: LeaseDependencies,
  wanted: Omit<SplitClaim, 'now' | 'leaseUntil'>,
  onLost: (reason: LeaseLost) => void,
): Promise<SplitLease> {
  const { database, timers } = dependencies
  const now = timers.now()
  const row = await database.query.transaction().execute(async (trx) => {
    await acquireLock(database.kind, trx, splitLock)
    // Its file may have gone to make room since it was found; from here on it does not.
    await lockJobs(trx, [wanted.jobId])
    if ((await findJob(trx, wanted.jobId))?.artifact == null) throw notFound('file')
    return claimSplit(trx, { ...wanted, now, leaseUntil: now + length })
  })
  if (row === 'running') throw conflict('The stems of this sound are being made already')
  if (row === 'busy') throw unavailable(`${wanted.max} separations are running; try again when one is done`, 5)
  return new SplitLease(dependencies, row, onLost)
}

/** Lease on a split; it ends when its owner does not renew it. */
export class SplitLease {
  readonly row: StemSplitRow
  readonly #dependencies: LeaseDependencies
  readonly #onLost: (reason: LeaseLost) => void
  /** Distinguishes this owner's writes from any other's. */
  #lease: number
  #isFinished = false
  #isOver = false
  #lock: Promise<unknown> = Promise.resolve()
  #cancelBeat: () => void

  constructor(dependencies: LeaseDependencies, row: StemSplitRow, onLost: (reason: LeaseLost) => void) {
    this.#dependencies = dependencies
    this.row = row
    this.#onLost = onLost
    this.#lease = row.lease_until ?? 0
    this.#cancelBeat = this.#scheduleBeat()
  }

  /** True if both stems are kept. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  /** Writes the record; throws `LeaseLost`. */
  save(record: string): Promise<void> {
    return this.#write({ record })
  }

  /** Marks the stems as stored and counts them for the job. Throws `LeaseLost`. */
  finish(): Promise<void> {
    return this.#write({ status: 'done' }, true)
  }

  /** Releases the split with a status, and a new record if one is given. */
  async release(status: StemSplitRow['status'], record?: string): Promise<void> {
    this.#cancelBeat()
    await this.#withLock(async () => {
      if (this.#isOver) return
      this.#isOver = true
      const values = {
        lease_until: null,
        updated_at: this.#dependencies.timers.now(),
        ...(record === undefined ? {} : { record }),
      }
      await keepSplit(this.#dependencies.database.query, this.#key, {
        status: this.#isFinished ? 'done' : status,
        ...values,
      })
    })
  }

  /** Writes run one after the other, because each changes the key of the next. */
  #write(values: Partial<Pick<StemSplitRow, 'status' | 'record'>>, isLast = false): Promise<void> {
    return this.#withLock(async () => {
      if (this.#isOver) throw new LeaseLost('the split was released')
      const now = this.#dependencies.timers.now()
      const lease = Math.max(this.#lease + 1, now + length)
      const isOurs = await this.#dependencies.database.query.transaction().execute(async (trx) => {
        if (isLast) await lockJobs(trx, [this.row.job_id])
        const isKept = await keepSplit(trx, this.#key, { ...values, lease_until: lease, updated_at: now })
        if (isKept && isLast) await addStemTime(trx, this.row.job_id, this.row.duration_ms)
        return isKept
      })
      if (!isOurs) throw this.#lose()
      this.#lease = lease
      this.#isFinished ||= isLast
    })
  }

  #lose(): LeaseLost {
    this.#isOver = true
    this.#cancelBeat()
    const reason = new LeaseLost('the split belongs to another owner')
    this.#onLost(reason)
    return reason
  }

  #withLock<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lock.then(work)
    this.#lock = result.catch(() => undefined)
    return result
  }

  #scheduleBeat(): () => void {
    return this.#dependencies.timers.after(beat, () => {
      this.#write({}).catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) this.#dependencies.log.warn({ err: error }, 'a sign of life was not written')
      })
      this.#cancelBeat = this.#scheduleBeat()
    })
  }

  get #key() {
    const { job_id: jobId, variant } = this.row
    return { jobId, variant, lease: this.#lease }
  }
}
