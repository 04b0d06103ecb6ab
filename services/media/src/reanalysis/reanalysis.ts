import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { analyserVersion, type Analyser } from '../analysis/analyse-audio.ts'
import { analysisValues, isTooLongForTempo, valuesWithoutTempo } from '../analysis/analyse-job.ts'
import { AnalysisFailed } from '../analysis/analysis-thread.ts'
import { octaveFrom } from '../analysis/octave-rule.ts'
import { ArtifactMissing, type ArtifactStore } from '../artifacts/artifact-store.ts'
import type { StoragePresence } from '../artifacts/presence.ts'
import type { MediaBus } from '../events.ts'
import { jobEvent } from '../jobs/job-events.ts'
import type { JobValues } from '../jobs/store.ts'
import { maxInterruptions } from '../jobs/workers.ts'
import type { Settings } from '../settings/schema.ts'
import type { JobRow, Tables } from '../tables.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { claimAnalysis, finishClaim, updateClaim } from './store.ts'

/** Interval at which the table is read without a wake-up, milliseconds: requests also come from other processes. */
const pollInterval = 5000
/** After a failure that lies in the surroundings, the next sound waits this long, milliseconds, and the same one longer. */
const pause = { any: 60_000, same: 600_000 }

export interface ReanalysisDependencies {
  readonly db: Kysely<Tables>
  readonly bus: MediaBus
  readonly artifacts: ArtifactStore
  readonly presence: Pick<StoragePresence, 'look'>
  readonly analyser: Pick<Analyser, 'analyse'>
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
  /** Until when nothing is analysed, because the last attempt failed for a reason that is not the sound's. */
  #pausedUntil = -Infinity

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
    if (this.#timer === undefined || this.#dependencies.timers.monotonic() < this.#pausedUntil) return
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
    const { db, timers, lease } = this.#dependencies
    if (this.#closing.signal.aborted || timers.monotonic() < this.#pausedUntil) return undefined
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
    const outcome = await this.#try(job, signal)
    clearInterval(beat)
    await renewal
    if (lost.signal.aborted) return
    const before = claim
    const row = hasTempo(outcome) ? await finishClaim(db, claim, outcome) : await write(outcome)
    if (row !== undefined) bus.publish(jobEvent(before, row, timers.now()))
  }

  /** Values for the row: what was found, the end of the request, or its return to the others. */
  async #try(job: JobRow, signal: AbortSignal) {
    const { artifacts, analyser, settings, timers, log } = this.#dependencies
    const current = settings()
    const timeoutMs = current.audio_analysis_timeout_minutes * 60_000
    const octaveWindow = octaveFrom(current.tempo_range_from)
    const withTempo = !isTooLongForTempo(current, job.duration_ms)
    const durationSeconds = job.duration_ms === null ? null : job.duration_ms / 1000
    const end = { analysis_wanted_at: null, analysis_lease_until: null, interruptions: 0 }
    const failed = { ...end, analyser_version: analyserVersion, message: 'Finished; another analysis failed' }
    // It may be what ends the workers.
    if (job.interruptions > maxInterruptions) return failed
    try {
      const found = await artifacts.withLocalFile(job.id, job.artifact ?? '', (file) =>
        analyser.analyse(file, { signal, timeoutMs, durationSeconds, octaveWindow, withTempo }),
      )
      // A tempo that is there stays where none was looked for.
      const values = withTempo ? analysisValues(found) : valuesWithoutTempo(found)
      return { ...values, ...end, message: 'Finished; analysed again' }
    } catch (error) {
      // The service stops: another worker takes the request.
      if (signal.aborted) return { analysis_lease_until: null, interruptions: 0 }
      log.warn({ err: error, job: job.id }, 'another analysis failed')
      if (await this.#isOfTheSound(error)) return failed
      this.#pausedUntil = timers.monotonic() + pause.any
      return { analysis_lease_until: timers.now() + pause.same, interruptions: 0 }
    }
  }

  /** Tells whether the same file would fail the same way; otherwise the storage, the disk or a program is in the way. */
  async #isOfTheSound(error: unknown): Promise<boolean> {
    if (error instanceof AnalysisFailed) return lasting.analysis.includes(error.problem)
    if (error instanceof ArtifactMissing) return !(await this.#isStorageMissing())
    return error instanceof MediaFailure && lasting.tool.includes(error.code)
  }

  async #isStorageMissing(): Promise<boolean> {
    // A storage that does not answer is as good as missing.
    return this.#dependencies.presence.look().catch(() => true)
  }
}

const hasTempo = (values: object): values is ReturnType<typeof analysisValues> => 'bpm' in values

const lasting = { analysis: ['unreadable', 'timeout', 'crashed'], tool: ['conversion', 'failed', 'memory', 'timeout'] }
