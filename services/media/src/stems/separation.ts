import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Timers } from '@hearth/runtime'
import { awaitTask, nextWait, type FinishedTask } from './await-task.ts'
import { SeparationPaused, type SeparationRecord, type SeparationStage } from './separation-record.ts'
import type { StemClient } from './stem-client.ts'
import { isPassing, StemServiceError } from './stem-service-error.ts'
import { startTimeLimit } from './service-call.ts'

/** The two results as local files. */
export interface StemFiles {
  readonly vocals: string
  readonly instrumental: string
}

const defaultLimits = {
  /** Maximum length of the audio, seconds; it is checked again as the service measured it, because that is what is paid. */
  durationSeconds: 600,
  /** The whole run, milliseconds. After it the run rejects with `timeout` and can be resumed. */
  overallMs: 600_000,
  /** Between two queries of the task when all is well, and when it is not; milliseconds. */
  pollMs: 5000,
  maxPollMs: 30_000,
  resultBytes: 4 * 1024 ** 3,
  /** Number of attempts of an upload, a split or a download. */
  attempts: 5,
  /** Milliseconds for each call that only tidies up at the service. */
  tidyMs: 10_000,
}

/** Limits of one separation. */
export type SeparationLimits = Readonly<typeof defaultLimits>

/** One separation and everything it needs. */
export interface Separation {
  readonly client: StemClient
  readonly key: string
  /** From `newSeparation`, or as it was saved last. */
  readonly record: SeparationRecord
  /** Stores the record; the run continues when it is stored, so no payment goes unrecorded. */
  readonly save: (record: SeparationRecord) => Promise<void>
  readonly source: { readonly file: string; readonly name: string; readonly durationSeconds: number }
  /** An existing folder for `vocals.mp3` and `instrumental.mp3`. */
  readonly into: string
  /** An abort cancels the task there, removes the file there and rejects with its reason; see `SeparationPaused`. */
  readonly signal: AbortSignal
  readonly timers: Timers
  readonly onStage?: (stage: SeparationStage, percent: number) => void
  /**
   * Puts the results where they stay, before the service's own are removed. What it moves need not be there any more
   * afterwards. A rejection leaves the record resumable, at no cost.
   */
  readonly publish?: (files: StemFiles) => Promise<void>
  readonly limits?: Partial<SeparationLimits>
}

/**
 * Runs one separation from where its record says to its end. It may be stopped at any moment, also by a crash, and run again
 * with the last saved record: the idempotency key makes sure that it is paid for once. When the service says that it has begun
 * already and no task number was saved, the run rejects with `already-started` and does not pay again.
 * Rejects with a `StemServiceError`, the signal's reason, an error of the disk, or what `save` or `publish` rejected with.
 */
export async function runSeparation(separation: Separation): Promise<StemFiles> {
  const limits = { ...defaultLimits, ...separation.limits }
  using deadline = startTimeLimit(separation.timers, limits.overallMs, separation.signal)
  const run = new Run(separation, { limits, signal: deadline.signal })
  try {
    return await run.toEnd()
  } catch (error) {
    await run.release(error)
    throw error
  }
}

class Run {
  readonly #to: Separation
  readonly #limits: SeparationLimits
  readonly #signal: AbortSignal
  readonly #files: StemFiles
  #record: SeparationRecord
  #reported = ''
  /** The task that failed for a reason of the service's own, which it may begin again. */
  #failedTask: StemServiceError | undefined

  constructor(separation: Separation, frame: { limits: SeparationLimits; signal: AbortSignal }) {
    this.#to = separation
    this.#record = separation.record
    this.#limits = frame.limits
    this.#signal = frame.signal
    const { into } = separation
    this.#files = { vocals: join(into, 'vocals.mp3'), instrumental: join(into, 'instrumental.mp3') }
  }

  async toEnd(): Promise<StemFiles> {
    for (;;) {
      this.#signal.throwIfAborted()
      const { stage, sourceId, taskId } = this.#record
      if (stage === 'upload' || sourceId === undefined) await this.#upload()
      else if (stage === 'split' || taskId === undefined) await this.#split(sourceId)
      else if (stage === 'wait' || !(await this.#areResultsKept())) await this.#fetchResults(taskId)
      else break
    }
    this.#report('clean-up', 0)
    await this.#deleteSource()
    return this.#files
  }

  async #upload(): Promise<void> {
    const { client, key, source } = this.#to
    this.#guardDuration(source.durationSeconds)
    await this.#guardMinutes()
    const onProgress = (sent: number, total: number) => this.#report('upload', sent / total)
    const { sourceId, durationSeconds } = await this.#attempt(() =>
      client.upload(key, { file: source.file, name: source.name, signal: this.#signal, onProgress }),
    )
    this.#record = { ...this.#record, sourceId }
    // The service rounds to whole seconds.
    this.#guardDuration(durationSeconds - 1)
    await this.#save({ ...this.#record, stage: 'split' })
  }

  async #split(sourceId: string): Promise<void> {
    const { client, key } = this.#to
    const { idempotencyKey } = this.#record
    this.#report('split', 0)
    const taskId = await this.#attempt(() =>
      client.split(key, { sourceId, idempotencyKey, signal: this.#signal }),
    ).catch((error: unknown) => {
      const isUsed = error instanceof StemServiceError && error.kind === 'already-started'
      throw isUsed ? (this.#failedTask ?? error) : error
    })
    await this.#save({ ...this.#record, stage: 'wait', taskId })
  }

  async #fetchResults(taskId: string): Promise<void> {
    try {
      await this.#download(await this.#awaitTask(taskId)).catch(async (error: unknown) => {
        if (!(error instanceof StemServiceError) || error.kind !== 'expired') throw error
        // The addresses may be too old; a new answer has new ones.
        await this.#download(await this.#awaitTask(taskId))
      })
    } catch (error) {
      if (!this.#mayBeginAgain(error)) throw error
      const { idempotencyKey, sourceId } = this.#record
      await this.#save({ idempotencyKey, sourceId, stage: 'split' })
      return
    }
    await this.#to.publish?.(this.#files)
    await this.#save({ ...this.#record, stage: 'clean-up' })
  }

  /** A task that failed for an internal reason is begun once more under the same key, so it is not paid again. */
  #mayBeginAgain(error: unknown): boolean {
    const isInternal = error instanceof StemServiceError && error.kind === 'failed' && error.code === 'internal_error'
    if (!isInternal || this.#failedTask !== undefined) return false
    this.#failedTask = error
    return true
  }

  #awaitTask(taskId: string): Promise<FinishedTask> {
    const { client, key, timers } = this.#to
    const pauses = { first: this.#limits.pollMs, max: this.#limits.maxPollMs }
    const onPercent = (percent: number) => this.#report('wait', percent / 100)
    return awaitTask({ client, key, taskId, signal: this.#signal, timers, pauses, onPercent })
  }

  async #download(task: FinishedTask): Promise<void> {
    const wanted = [
      { type: 'stem', into: this.#files.vocals },
      { type: 'back', into: this.#files.instrumental },
    ]
    for (const [index, { type, into }] of wanted.entries()) {
      const track = task.tracks.find((track) => track.type === type)
      if (track === undefined) throw new StemServiceError('upstream', { detail: `the result has no track ${type}` })
      const onProgress = (received: number, total: number | undefined) =>
        this.#report('download', (index + Math.min(1, received / (total ?? Infinity))) / wanted.length)
      const { resultBytes: maxBytes } = this.#limits
      await this.#attempt(() =>
        this.#to.client.download(track.url, { into, maxBytes, signal: this.#signal, onProgress }),
      )
    }
  }

  /** Resolves to true if a run before this one left the results where nothing of the service's is needed any more. */
  async #areResultsKept(): Promise<boolean> {
    if (this.#to.publish !== undefined) return true
    const checks = [this.#files.vocals, this.#files.instrumental].map((file) => access(file))
    return (await Promise.allSettled(checks)).every(({ status }) => status === 'fulfilled')
  }

  /** After a failure: cancels the task when the caller cancelled, and deletes an upload that is of no use. */
  async release(error: unknown): Promise<void> {
    const { client, key, signal } = this.#to
    const { taskId } = this.#record
    const isCancelled = signal.aborted && !(signal.reason instanceof SeparationPaused)
    if (isCancelled && taskId !== undefined) await this.#tidy((limit) => client.cancel(key, taskId, limit))
    if (isCancelled || isFinal(error)) await this.#deleteSource()
  }

  /** Removes the upload and the results there; otherwise the service does so itself after 24 hours. */
  async #deleteSource(): Promise<void> {
    const { sourceId } = this.#record
    if (sourceId !== undefined) await this.#tidy((limit) => this.#to.client.deleteSource(this.#to.key, sourceId, limit))
  }

  async #tidy(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    using limit = startTimeLimit(this.#to.timers, this.#limits.tidyMs)
    await work(limit.signal).catch(() => undefined)
  }

  #guardDuration(seconds: number): void {
    if (seconds > this.#limits.durationSeconds) throw new StemServiceError('exceeded-duration')
  }

  async #guardMinutes(): Promise<void> {
    const { client, key, source } = this.#to
    const minutes = await client.minutesLeft(key, this.#signal).catch((error: unknown) => {
      if (this.#signal.aborted || !isPassing(error)) throw error
      return Infinity
    })
    if (minutes * 60 < source.durationSeconds) throw new StemServiceError('out-of-minutes')
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await work()
      } catch (error) {
        if (this.#signal.aborted || !isPassing(error) || failures + 1 >= this.#limits.attempts) throw error
        await this.#to.timers.delay(nextWait(failures, { first: 2000, max: 30_000 }), this.#signal)
      }
    }
  }

  async #save(record: SeparationRecord): Promise<void> {
    this.#record = record
    await this.#to.save(record)
  }

  #report(stage: SeparationStage, fraction: number): void {
    const percent = Math.floor(fraction * 100)
    const report = `${stage} ${percent}`
    if (report === this.#reported) return
    this.#reported = report
    this.#to.onStage?.(stage, percent)
  }
}

/** Failures after which the upload is of no more use. */
const isFinal = (error: unknown): boolean =>
  error instanceof StemServiceError &&
  ['failed', 'cancelled', 'plan', 'out-of-minutes', 'exceeded-duration', 'exceeded-size'].includes(error.kind)

/**
 * Returns true if a run that rejected so can be resumed with its saved record. Otherwise the next one needs a new record, and is paid
 * anew. Not meant for a run that the user cancelled, which is over.
 */
export function isResumable(error: unknown): boolean {
  if (isFinal(error)) return false
  return !(error instanceof StemServiceError) || !['expired', 'already-started'].includes(error.kind)
}
