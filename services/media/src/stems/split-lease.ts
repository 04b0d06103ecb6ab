import { takeTurn, type Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import type { StemSplitRow, Tables } from '../database/tables.ts'
import { conflict, unavailable } from '../problems.ts'
import { addStemTime, claimSplit, keepSplit, type SplitClaim } from './store.ts'

/** A split belongs to somebody else by now, or its job is gone. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** The right to work on a split, which ends by itself when its owner is not heard of any more. */
export interface SplitLease extends AsyncDisposable {
  readonly row: StemSplitRow
  /** True if both stems are kept. */
  readonly isFinished: boolean
  /** Writes the record; throws `LeaseLost`. */
  save(record: string): Promise<void>
  /** The stems are kept: counts them for the job. Throws `LeaseLost`. */
  finish(): Promise<void>
  /** Leaves the split as it stands for the next one who asks, with this record in place of its own when there is one. */
  giveBack(status: StemSplitRow['status'], record?: string): Promise<void>
}

/** Dependencies of `takeLease`. */
export interface LeaseParts {
  readonly database: Database<Tables>
  readonly timers: Timers
  readonly log: Log
}

/** Time for which the owner counts as alive after its last sign of life, and interval of these signs, milliseconds. */
const [length, beat] = [60_000, 15_000]
/** Number of the turn in which splits are claimed on PostgreSQL. */
const splitTurn = 8_103_003

/**
 * Takes a split, or throws a problem: 409 when somebody has it, 503 when too many run. `onLost` is called when the lease is
 * gone, at the latest when it would have been renewed.
 */
export async function takeLease(
  parts: LeaseParts,
  wanted: Omit<SplitClaim, 'now' | 'leaseUntil'>,
  onLost: (reason: LeaseLost) => void,
): Promise<SplitLease> {
  const { database, timers } = parts
  const now = timers.now()
  const row = await database.query.transaction().execute(async (trx) => {
    await takeTurn(database.kind, trx, splitTurn)
    return claimSplit(trx, { ...wanted, now, leaseUntil: now + length })
  })
  if (row === 'running') throw conflict('The stems of this sound are being made already')
  if (row === 'busy') throw unavailable(`${wanted.most} separations are running; try again when one is done`, 5)
  return new HeldLease(parts, row, onLost)
}

class HeldLease implements SplitLease {
  readonly row: StemSplitRow
  readonly #parts: LeaseParts
  readonly #onLost: (reason: LeaseLost) => void
  /** Tells this owner's writes from those of anybody before or after. */
  #lease: number
  #isFinished = false
  #isOver = false
  #turn: Promise<unknown> = Promise.resolve()
  #cancelBeat: () => void

  constructor(parts: LeaseParts, row: StemSplitRow, onLost: (reason: LeaseLost) => void) {
    this.#parts = parts
    this.row = row
    this.#onLost = onLost
    this.#lease = row.lease_until ?? 0
    this.#cancelBeat = this.#scheduleBeat()
  }

  get isFinished(): boolean {
    return this.#isFinished
  }

  save(record: string): Promise<void> {
    return this.#write({ record })
  }

  finish(): Promise<void> {
    return this.#write({ status: 'done' }, true)
  }

  async giveBack(status: StemSplitRow['status'], record?: string): Promise<void> {
    this.#cancelBeat()
    await this.#inTurn(async () => {
      if (this.#isOver) return
      this.#isOver = true
      const values = {
        lease_until: null,
        updated_at: this.#parts.timers.now(),
        ...(record === undefined ? {} : { record }),
      }
      await keepSplit(this.#parts.database.query, this.#key, { status: this.#isFinished ? 'done' : status, ...values })
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.giveBack('failed')
  }

  /** One write after the other, because each changes what the next one is known by. */
  #write(values: Partial<Pick<StemSplitRow, 'status' | 'record'>>, isLast = false): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isOver) throw new LeaseLost('the split was given back')
      const now = this.#parts.timers.now()
      const lease = Math.max(this.#lease + 1, now + length)
      const isOurs = await this.#parts.database.query.transaction().execute(async (trx) => {
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
    const reason = new LeaseLost('the split is somebody else’s')
    this.#onLost(reason)
    return reason
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => undefined)
    return result
  }

  #scheduleBeat(): () => void {
    return this.#parts.timers.after(beat, () => {
      this.#write({}).catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) this.#parts.log.warn({ err: error }, 'a sign of life was not written')
      })
      this.#cancelBeat = this.#scheduleBeat()
    })
  }

  get #key() {
    const { job_id: jobId, variant } = this.row
    return { jobId, variant, lease: this.#lease }
  }
}
