import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { analyserVersion, type Analyser } from '../analysis/analyse-audio.ts'
import { analysisValues } from '../analysis/analyse-job.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { MediaBus } from '../events.ts'
import { jobEvent } from '../jobs/job-events.ts'
import type { JobValues } from '../jobs/store.ts'
import type { Settings } from '../settings/schema.ts'
import type { JobRow, Tables } from '../tables.ts'
import { claimAnalysis, updateClaim } from './store.ts'

/** Interval at which the table is read without a wake-up, milliseconds: requests also come from other processes. */
const pollInterval = 5000

export interface ReanalysisDependencies {
  readonly db: Kysely<Tables>
  readonly bus: MediaBus
  readonly artifacts: ArtifactStore
  readonly analyser: Analyser
  readonly settings: () => Settings
  readonly timers: Timers
  readonly log: Log
  /** Length of a lease, milliseconds; it is renewed four times as often. */
  readonly lease: number
}

/**
 * Analyses finished sounds again, one at a time in each process, in the order of their requests. The requests are columns of the
 * jobs: they survive a crash, and any worker of the installation takes the next one.
 */
export class Reanalysis {
  readonly #dependencies: ReanalysisDependencies
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #wasWoken = false

  constructor(dependencies: ReanalysisDependencies) {
    this.#dependencies = dependencies
  }

  /** Begins to take requests. */
  start(): void {
    this.#timer = setInterval(() => this.wake(), pollInterval).unref()
    this.wake()
  }

  /** Reads the requests now; without effect before `start`. */
  wake(): void {
    if (this.#timer === undefined) return
    this.#wasWoken = true
    this.#running ??= this.#work().finally(() => (this.#running = undefined))
  }

  /** Returns the request it works on, for another worker. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#closing.abort()
    await this.#running
  }

  async #work(): Promise<void> {
    try {
      while (this.#wasWoken && !this.#closing.signal.aborted) {
        this.#wasWoken = false
        for (let job = await this.#claim(); job !== undefined; job = await this.#claim()) await this.#analyse(job)
      }
    } catch (error) {
      this.#dependencies.log.warn({ err: error }, 'sounds cannot be analysed again')
    }
  }

  async #claim(): Promise<JobRow | undefined> {
    if (this.#closing.signal.aborted) return undefined
    const { db, timers, lease } = this.#dependencies
    const now = timers.now()
    return claimAnalysis(db, { now, until: now + lease })
  }

  async #analyse(job: JobRow): Promise<void> {
    const { db, bus, timers, log, lease } = this.#dependencies
    const lost = new AbortController()
    const signal = AbortSignal.any([lost.signal, this.#closing.signal])
    let claim = job
    const write = async (values: JobValues) => {
      const row = await updateClaim(db, claim, values)
      if (row === undefined) lost.abort()
      else claim = row
      return row
    }
    let renewal = Promise.resolve()
    const beat = setInterval(() => {
      renewal = write({ analysis_lease_until: timers.now() + lease }).then(
        () => undefined,
        (error: unknown) => log.warn({ err: error, job: job.id }, 'a sign of life was not written'),
      )
    }, lease / 4)
    const values = await this.#valuesOf(job, signal)
    clearInterval(beat)
    await renewal
    if (lost.signal.aborted) return
    const row = await write({ ...values, analysis_lease_until: null })
    if (row !== undefined) bus.publish(jobEvent(job, row, timers.now()))
  }

  /** Values for the row; nothing when the service stops, so that another worker takes the request. */
  async #valuesOf(job: JobRow, signal: AbortSignal): Promise<JobValues> {
    const { artifacts, analyser, settings, log } = this.#dependencies
    const timeoutMs = settings().audio_analysis_timeout_minutes * 60_000
    const durationSeconds = job.duration_ms === null ? null : job.duration_ms / 1000
    try {
      const found = await artifacts.withLocalFile(job.id, job.artifact ?? '', (file) =>
        analyser.analyse(file, { signal, timeoutMs, durationSeconds }),
      )
      return {
        ...withOwnTempo(job, analysisValues(found)),
        analysis_wanted_at: null,
        message: 'Finished; analysed again',
      }
    } catch (error) {
      if (signal.aborted) return {}
      log.warn({ err: error, job: job.id }, 'another analysis failed')
      // It is not tried again by itself: the same file fails the same way.
      return {
        analysis_wanted_at: null,
        analyser_version: analyserVersion,
        message: 'Finished; another analysis failed',
      }
    }
  }
}

/** A tempo that a person set stays. */
function withOwnTempo(job: JobRow, values: ReturnType<typeof analysisValues>): JobValues {
  if (job.bpm === null || job.bpm_confidence !== 1) return values
  const { bpm: _bpm, bpm_confidence: _confidence, bpm_alternative: _alternative, ...others } = values
  return others
}
