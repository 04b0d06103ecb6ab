import type { Database } from '@hearth/database'
import { withTemporaryFolder, type Log, type Timers } from '@hearth/runtime'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Slots } from '../conversion/slots.ts'
import { conversionProblem, keepDerived } from '../delivery/derived-file.ts'
import type { MediaBus } from '../events.ts'
import { findFinished } from '../jobs/finished-file.ts'
import { endsJob } from '../jobs/job-events.ts'
import { findJob } from '../jobs/store.ts'
import { notFound, Problem, unavailable } from '../problems.ts'
import type { Settings } from '../settings/schema.ts'
import type { JobRow, Tables } from '../tables.ts'
import type { ExportRow } from './tables.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import { discardFiles } from './export-files.ts'
import { ExportProgress } from './export-progress.ts'
import { estimateExport, type ExportRoom, type ExportSource } from './export-room.ts'
import { exportEvent, planOf, type StoredResult } from './export-view.ts'
import { makeFiles, stepsOf } from './make-files.ts'
import {
  claimExport,
  isWantedElsewhere,
  releaseExports,
  settleExport,
  writeRunning,
  type ExportValues,
} from './store.ts'

/** Interval at which the table is read without a wake-up, milliseconds: requests also come from other processes. */
const pollInterval = 5000
/** Number of lost workers after which an export fails, because it may crash them. */
const maxInterruptions = 3

export interface ExportWorkerDependencies {
  readonly database: Database<Tables>
  readonly bus: MediaBus
  readonly artifacts: ArtifactStore
  readonly ffmpeg: Ffmpeg
  readonly slots: Slots
  readonly room: Pick<ExportRoom, 'reserveExport'>
  /** Folder for temporary files. */
  readonly folder: string
  readonly settings: () => Settings
  readonly timers: Timers
  readonly log: Log
  /** Length of a lease, milliseconds; it is renewed four times as often. */
  readonly lease: number
}

type Ending = 'cancelled' | 'stopping' | 'lost'

/**
 * Makes the files of exports, one export at a time in each process, in the order of their requests. The rows are the queue: they
 * survive a crash, any worker of the installation takes the next one, and one whose worker is gone is made anew.
 */
export class ExportWorker {
  readonly #dependencies: ExportWorkerDependencies
  readonly #unsubscribe: () => void
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #current: { readonly row: ExportRow; readonly controller: AbortController } | undefined
  #wasWoken = false
  #isClosing = false

  constructor(dependencies: ExportWorkerDependencies) {
    this.#dependencies = dependencies
    this.#unsubscribe = dependencies.bus.subscribe((event) => {
      if ('id' in event || this.#current === undefined) return
      const { row, controller } = this.#current
      const isCancelled = event.type === 'export_changed' && event.export_id === row.id && event.status === 'cancelled'
      if (isCancelled || endsJob(event, row.job_id)) controller.abort('cancelled' satisfies Ending)
    })
  }

  /** Begins to take requests. */
  async start(): Promise<void> {
    const { database } = this.#dependencies
    // No other process works on a SQLite database: whatever had a lease is gone.
    if (database.kind === 'sqlite') await releaseExports(database.query)
    this.#timer = setInterval(() => this.wake(), pollInterval).unref()
    this.wake()
  }

  /** Reads the requests now; without effect before `start`. */
  wake(): void {
    if (this.#timer === undefined) return
    this.#wasWoken = true
    this.#running ??= this.#work().finally(() => (this.#running = undefined))
  }

  /** Hands back the export it works on, for another worker. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#isClosing = true
    this.#current?.controller.abort('stopping' satisfies Ending)
    await this.#running
    this.#unsubscribe()
  }

  async #work(): Promise<void> {
    try {
      while (this.#wasWoken && !this.#isClosing) {
        this.#wasWoken = false
        for (let row = await this.#claim(); row !== undefined; row = await this.#claim()) await this.#run(row)
      }
    } catch (error) {
      this.#dependencies.log.warn({ err: error }, 'exports cannot be made')
    }
  }

  async #claim(): Promise<ExportRow | undefined> {
    if (this.#isClosing) return undefined
    const { database, timers, lease } = this.#dependencies
    const now = timers.now()
    return claimExport(database.query, { now, until: now + lease })
  }

  async #run(row: ExportRow): Promise<void> {
    const { log } = this.#dependencies
    const controller = new AbortController()
    this.#current = { row, controller }
    // What was cancelled or stopped since it was claimed has not been heard of.
    if (this.#isClosing) controller.abort('stopping' satisfies Ending)
    const progress = new ExportProgress()
    const beat = this.#beat(row, controller, progress)
    try {
      this.#publish(row)
      const values = await this.#try(row, controller, progress)
      await beat.stop()
      await this.#settle(row, values)
    } finally {
      await beat.stop()
      this.#current = undefined
    }
    log.debug({ export: row.id }, 'an export ended')
  }

  /** Values for the row: what was made, the reason of a failure, or its return to the others; undefined when it is not ours. */
  async #try(row: ExportRow, controller: AbortController, progress: ExportProgress): Promise<ExportValues | undefined> {
    const { timers, log } = this.#dependencies
    try {
      if (row.interruptions >= maxInterruptions) throw unavailable('The application was restarted too often meanwhile')
      const result = await this.#make(row, controller, progress)
      const files = JSON.stringify(result satisfies StoredResult)
      return { status: 'done', progress: 100, message: null, files, ...ended, finished_at: timers.now() }
    } catch (error) {
      const ending = controller.signal.aborted ? (controller.signal.reason as Ending) : undefined
      if (ending === 'stopping') return { status: 'queued', progress: 0, message: null, ...ended }
      if (ending !== undefined) return undefined
      const message = messageOf(error)
      if (message === undefined) log.error({ err: error, export: row.id }, 'an export failed for a reason of ours')
      else log.info({ export: row.id, err: error }, 'an export failed')
      return {
        status: 'failed',
        message: message ?? 'Something went wrong on the server; its log says more',
        ...ended,
        finished_at: timers.now(),
      }
    }
  }

  async #make(row: ExportRow, controller: AbortController, progress: ExportProgress): Promise<StoredResult> {
    const { database, artifacts, ffmpeg, slots, folder, settings, room } = this.#dependencies
    const { signal } = controller
    const jobs = { row: (id: string) => this.#job(id) }
    const job = findFinished(await jobs.row(row.job_id))
    const plan = planOf(row)
    progress.begin(stepsOf(plan))
    const keep = async (name: string, file: string) => {
      // Before the file is there, so that no crash leaves one that nobody deletes.
      const ours = await writeRunning(database.query, row, { has_files: 1, progress: progress.percent })
      if (ours === undefined) controller.abort('lost' satisfies Ending)
      signal.throwIfAborted()
      await keepDerived({ jobs, artifacts }, job, { name, file })
    }
    const reserve = async (source: Pick<ExportSource, 'sampleRate' | 'channels'>) => {
      const coverBytes = (await artifacts.stat(job.id, 'thumbnail.jpg'))?.size ?? 0
      const size = estimateExport(plan, { ...source, quality: job.quality, coverBytes })
      await room.reserveExport(row, { ...size, title: job.video_title ?? job.url })
    }
    return withTemporaryFolder(folder, (own) => {
      const timeoutMs = settings().transcode_timeout_minutes * 60_000
      const inSlot = <T>(work: (signal: AbortSignal) => Promise<T>) => slots.use(signal, () => work(signal))
      return makeFiles(
        { ffmpeg, folder: own, timeoutMs, inSlot, progress },
        { id: row.id, job, plan, artifacts, reserve, keep },
      )
    })
  }

  async #job(id: string): Promise<JobRow> {
    const job = await findJob(this.#dependencies.database.query, id)
    if (job === undefined) throw notFound('job')
    return job
  }

  /** Writes the end of an attempt. What is not wanted any more, or failed, leaves no file. */
  async #settle(row: ExportRow, values: ExportValues | undefined): Promise<void> {
    const { database, artifacts, bus } = this.#dependencies
    const db = database.query
    const written = values === undefined ? undefined : await writeRunning(db, row, values)
    if (written !== undefined) bus.publish(exportEvent(written))
    if (written?.status === 'done' || written?.status === 'queued') return
    // Another attempt may be at work; then the files are its.
    if (await isWantedElsewhere(db, row)) return
    await discardFiles(artifacts, row)
    await settleExport(db, row.id)
  }

  #beat(row: ExportRow, controller: AbortController, progress: ExportProgress) {
    const { database, timers, log, lease, bus } = this.#dependencies
    let renewal: Promise<void> = Promise.resolve()
    let shown = 0
    const renew = async () => {
      const values = { lease_until: timers.now() + lease, progress: progress.percent }
      const ours = await writeRunning(database.query, row, values)
      if (ours === undefined) controller.abort('lost' satisfies Ending)
    }
    const timer = setInterval(() => {
      renewal = renew().catch((error: unknown) =>
        log.warn({ err: error, export: row.id }, 'a sign of life was not written'),
      )
    }, lease / 4)
    const teller = setInterval(() => {
      if (progress.percent === shown) return
      shown = progress.percent
      bus.publish(exportEvent({ ...row, progress: shown }))
    }, tellInterval)
    return {
      async stop(): Promise<void> {
        clearInterval(timer)
        clearInterval(teller)
        await renewal
      },
    }
  }

  #publish(row: ExportRow): void {
    this.#dependencies.bus.publish(exportEvent(row))
  }
}

/** Values of an export that no worker has any more. */
const ended = { lease_until: null, reserved_bytes: 0 } as const

/** Interval at which progress is told, milliseconds. */
const tellInterval = 1000

/** The reason of a failure that is not ours, for a person. */
function messageOf(error: unknown): string | undefined {
  const problem = conversionProblem(error)
  return problem instanceof Problem ? problem.message : undefined
}
