import type { OpenGuarded } from '@hearth/outbound'
import { toIsoString, type Log, type Timers } from '@hearth/runtime'
import type { LineBuffer } from './line-buffer.ts'
import type { TimeSeriesStatus } from './schema.ts'
import { writeLines, type ServerAddress, type WriteResult } from './write-request.ts'

/** First and longest pause after a failure, milliseconds. */
const firstPause = 1000
const longestPause = 300_000

/** At most one line in the log in this time, milliseconds. */
const logEvery = 60_000

interface SenderDependencies {
  readonly address: ServerAddress
  readonly buffer: LineBuffer
  readonly open: OpenGuarded
  readonly timers: Timers
  readonly log: Log
  /** Called when state or figures have changed. */
  readonly changed: () => void
}

/**
 * Writes what is in the buffer, oldest first and one request at a time. Points that the server refuses for what they are go, each
 * found by halving the request; for everything else it waits and repeats. A repeat writes the same points again, which changes
 * nothing: they have the times at which they were read.
 */
export class Sender {
  readonly #dependencies: SenderDependencies
  readonly #end = new AbortController()
  #working: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #failures = 0
  #error: string | null = null
  #since: number
  #nextAttemptAt: number | null = null
  #lastWrittenAt: number | null = null
  #awaySince: number | undefined
  #loggedAt = -Infinity
  #written = 0
  #refused = 0
  #lastRefusal: string | null = null

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies
    this.#since = dependencies.timers.now()
  }

  /** Milliseconds since the server stopped taking points; 0 while it takes them. */
  get awayMs(): number {
    return this.#awaySince === undefined ? 0 : this.#dependencies.timers.monotonic() - this.#awaySince
  }

  get lastError(): string | null {
    return this.#error
  }

  status(): Omit<TimeSeriesStatus, 'points_overflowed'> {
    return {
      state: this.#error === null ? 'writing' : 'waiting',
      since: toIsoString(this.#since),
      last_error: this.#error,
      next_attempt_at: toIsoString(this.#nextAttemptAt),
      last_written_at: toIsoString(this.#lastWrittenAt),
      points_written: this.#written,
      points_refused: this.#refused,
      last_refusal: this.#lastRefusal,
      buffered_bytes: this.#dependencies.buffer.bytes,
    }
  }

  /** Writes what waits, unless it does already or pauses after a failure. */
  wake(): void {
    if (this.#working !== undefined || this.#cancel !== undefined || this.#end.signal.aborted) return
    this.#working = this.#drain()
      .catch((error: unknown) => {
        if (!this.#end.signal.aborted)
          this.#pause({ kind: 'failed', detail: error instanceof Error ? error.message : 'unknown error' })
      })
      .finally(() => {
        this.#working = undefined
      })
  }

  async close(): Promise<void> {
    this.#cancel?.()
    this.#end.abort()
    await this.#working
  }

  async #drain(): Promise<void> {
    const { buffer, changed } = this.#dependencies
    for (let batch = await buffer.take(); batch !== undefined; batch = await buffer.take()) {
      const failure = await this.#write(batch.lines)
      if (failure !== undefined) {
        buffer.release()
        this.#pause(failure)
        return
      }
      await buffer.remove(batch.number)
      changed()
    }
  }

  /** Writes lines, in halves where points are refused. Returns what stands in the way of all of them. */
  async #write(lines: readonly string[]): Promise<Extract<WriteResult, { kind: 'failed' }> | undefined> {
    const { address, open, timers } = this.#dependencies
    const context = { open, now: () => timers.now(), signal: this.#end.signal }
    const waiting: (readonly string[])[] = [lines]
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
      const result = await writeLines(address, part, context)
      if (result.kind === 'failed') return result
      if (result.kind === 'written') this.#noteWritten(part.length)
      else if (part.length > 1) {
        const middle = Math.ceil(part.length / 2)
        // The older half comes first.
        waiting.push(part.slice(middle), part.slice(0, middle))
      } else {
        if (await this.#isAboutAll(result.detail)) return { kind: 'failed', detail: result.detail }
        this.#refused += 1
        this.#lastRefusal = result.detail
      }
    }
    return undefined
  }

  /** Returns true if the server refuses a request without points for the same reason: then it is not the point. */
  async #isAboutAll(detail: string): Promise<boolean> {
    const { address, open, timers } = this.#dependencies
    const result = await writeLines(address, [], { open, now: () => timers.now(), signal: this.#end.signal })
    return result.kind === 'failed' || (result.kind === 'refused' && result.detail === detail)
  }

  #noteWritten(points: number): void {
    const now = this.#dependencies.timers.now()
    this.#written += points
    this.#lastWrittenAt = now
    this.#failures = 0
    this.#awaySince = undefined
    this.#nextAttemptAt = null
    if (this.#error !== null) this.#since = now
    this.#error = null
  }

  #pause({ detail, retryAfterMs }: Extract<WriteResult, { kind: 'failed' }>): void {
    const { timers, log, changed } = this.#dependencies
    const pause = Math.min(longestPause, firstPause * 2 ** this.#failures)
    // Some disorder, so that several services do not come back together.
    const ms = Math.max(retryAfterMs ?? 0, pause * (0.75 + Math.random() / 2))
    this.#failures = Math.min(this.#failures + 1, 16)
    this.#awaySince ??= timers.monotonic()
    if (this.#error === null) this.#since = timers.now()
    this.#error = detail
    this.#nextAttemptAt = timers.now() + ms
    if (timers.monotonic() - this.#loggedAt >= logEvery) {
      this.#loggedAt = timers.monotonic()
      log.warn(`time series: ${detail}`)
    }
    this.#cancel = timers.after(ms, () => {
      this.#cancel = undefined
      this.wake()
    })
    changed()
  }
}
