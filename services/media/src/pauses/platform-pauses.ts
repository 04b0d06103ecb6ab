import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { MediaBus } from '../events.ts'
import type { BlockReason, Platform } from '../platforms/schema.ts'
import type { JobRow, Tables } from '../tables.ts'
import { longestPause, pauseLength } from './pause-rules.ts'
import * as store from './store.ts'

/** A job as far as pauses know it. */
export type PausedJob = Pick<JobRow, 'id' | 'attempt' | 'platform'>

/** Whether a job may start: `free` without a pause, `probe` as the one that is tried, `held` when it waits. */
export type Admission = 'free' | 'probe' | 'held'

export interface PauseDependencies {
  readonly db: Kysely<Tables>
  readonly bus: MediaBus
  readonly timers: Clock
  /** Called when jobs may start that were held back. */
  readonly onOpened: () => void
}

/**
 * Pauses of platforms that refuse this server. While one lasts no job of the platform starts; then one is tried, the probe. A
 * refused probe makes the pause longer, any other answer of the platform ends it. A probe whose worker is lost is none any more.
 */
export class PlatformPauses {
  readonly #dependencies: PauseDependencies

  constructor(dependencies: PauseDependencies) {
    this.#dependencies = dependencies
  }

  list(): Promise<store.PauseState[]> {
    return store.listPauses(this.#dependencies.db)
  }

  /** Returns the pause of a platform while nothing should be requested from it: until the wait and the probe are over. */
  async holding(platform: Platform): Promise<store.PauseState | undefined> {
    const pause = await store.findPause(this.#dependencies.db, platform)
    return pause !== undefined && this.#isHolding(pause) ? pause : undefined
  }

  /** Decides whether a job may start, in the transaction that starts it. Of two jobs only one becomes the probe. */
  async admit(trx: Kysely<Tables>, job: PausedJob): Promise<Admission> {
    const pause = await store.findPause(trx, job.platform)
    if (pause === undefined) return 'free'
    if (this.#isHolding(pause)) return 'held'
    return (await store.claimProbe(trx, pause, job)) ? 'probe' : 'held'
  }

  /**
   * Writes that the platform refused this server, in the transaction that hands the job back. Returns true if the job was the
   * probe. Jobs that began before the pause change nothing.
   */
  async refuse(trx: Kysely<Tables>, job: PausedJob, reason: BlockReason): Promise<boolean> {
    const { platform, id, attempt } = job
    const now = this.#dependencies.timers.now()
    const known = await store.findPause(trx, platform)
    if (known !== undefined) {
      const refusals = known.refusals + 1
      const paused_until = now + pauseLength(reason, refusals)
      return store.extendPause(trx, platform, { probe: { id, attempt }, reason, refusals, paused_until })
    }
    const paused_until = now + pauseLength(reason, 1)
    const row = { platform, reason, began_at: now, paused_until, refusals: 1, probe_job: null, probe_attempt: null }
    await store.insertPause(trx, row)
    return false
  }

  /**
   * Writes that the platform refused this server while a list was read. When the wait was over the list counts as the probe;
   * without effect during the wait, and while a job is the probe.
   */
  async refuseList(platform: Platform, reason: BlockReason): Promise<void> {
    const reading = { id: 'list', attempt: 0, platform }
    const isWritten = await this.#dependencies.db.transaction().execute(async (trx) => {
      if ((await this.admit(trx, reading)) === 'held') return false
      await this.refuse(trx, reading, reason)
      return true
    })
    if (isWritten) this.changed({ isOpened: false })
  }

  /** Ends the pause whose probe this job is. */
  async admitted({ platform, id, attempt }: PausedJob): Promise<void> {
    if (await store.endPause(this.#dependencies.db, platform, { id, attempt })) this.changed({ isOpened: true })
  }

  /** Ends the wait: the next job of the platform is tried at once. Does nothing without a pause. */
  async tryNow(platform: Platform): Promise<void> {
    const { db, timers } = this.#dependencies
    if (await store.shortenPause(db, platform, timers.now())) this.changed({ isOpened: true })
  }

  #isHolding({ paused_until, is_probing }: store.PauseState): boolean {
    const left = paused_until - this.#dependencies.timers.now()
    return (left > 0 && left <= longestPause) || is_probing
  }

  /** Announces a change to all processes and pages. */
  changed({ isOpened }: { readonly isOpened: boolean }): void {
    this.#dependencies.bus.publish({ type: 'platforms_changed', job_id: null })
    if (isOpened) this.#dependencies.onOpened()
  }
}
