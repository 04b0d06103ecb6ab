import type { Log, Timers } from '@hearth/runtime'
import { jitterOf, nextRegular, retryDelay } from './schedule.ts'

/** Something that is checked again and again. */
export interface Checked {
  readonly subject: string
  readonly intervalMs: number
}

/** What the result of a check means for the next one. */
export interface Verdict {
  /** Checks in a row that failed. */
  readonly failed: number
  readonly isUnsettled: boolean
}

export interface CheckerDependencies<T extends Checked> {
  readonly timers: Timers
  readonly log: Log
  /** Checks once and takes the result. Never rejects for what the site does. */
  readonly check: (target: T, signal: AbortSignal) => Promise<Verdict>
  /** Most checks at the same time. */
  readonly concurrency?: number
}

interface Entry<T> {
  target: T
  readonly jitter: number
  dueAt: number
  failed: number
  isRunning: boolean
}

/** Interval at which due checks are looked for, milliseconds. */
const tickMs = 250

/** Share of the subjects that must fail before failures count as widespread. */
const widespread = 0.5

/**
 * Runs checks at their times: each subject at its own part of the interval, so that a thousand make no crowd; so many at a time
 * and no more; sooner while a result waits to be confirmed, unless most fail; less often when one fails for long.
 */
export class Checker<T extends Checked> {
  readonly #dependencies: CheckerDependencies<T>
  readonly #entries = new Map<string, Entry<T>>()
  readonly #running = new Set<Promise<void>>()
  readonly #abort = new AbortController()
  #cancel: () => void = () => undefined
  #isClosed = false

  constructor(dependencies: CheckerDependencies<T>) {
    this.#dependencies = dependencies
  }

  /** Number of subjects. */
  get size(): number {
    return this.#entries.size
  }

  /** Checks these from now on, and no others. One that is known keeps its time unless its interval is another. */
  setTargets(targets: readonly T[]): void {
    const subjects = new Set(targets.map(({ subject }) => subject))
    for (const subject of this.#entries.keys()) if (!subjects.has(subject)) this.#entries.delete(subject)
    const now = this.#dependencies.timers.monotonic()
    for (const target of targets) {
      const known = this.#entries.get(target.subject)
      if (known === undefined) {
        const jitter = jitterOf(target.subject)
        // A new site is checked soon, and many new ones not at once.
        const dueAt = now + jitter * Math.min(target.intervalMs, firstWithin(targets.length))
        this.#entries.set(target.subject, { target, jitter, dueAt, failed: 0, isRunning: false })
      } else {
        if (known.target.intervalMs !== target.intervalMs)
          known.dueAt = nextRegular(now, target.intervalMs, known.jitter)
        known.target = target
      }
    }
  }

  start(): void {
    this.#cancel = this.#dependencies.timers.after(tickMs, () => {
      this.#startDue()
      if (!this.#isClosed) this.start()
    })
  }

  /** Ends the running checks; their results do not count. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#abort.abort()
    await Promise.allSettled(this.#running)
  }

  #startDue(): void {
    const { timers, concurrency = 32 } = this.#dependencies
    if (this.#running.size >= concurrency) return
    const now = timers.monotonic()
    const due = [...this.#entries.values()].filter((entry) => !entry.isRunning && entry.dueAt <= now)
    // Who waits longest comes first, or some would never be checked when there are too many.
    due.sort((one, other) => one.dueAt - other.dueAt)
    for (const entry of due.slice(0, concurrency - this.#running.size)) {
      const run = this.#run(entry).finally(() => {
        this.#running.delete(run)
        if (!this.#isClosed && this.#running.size === concurrency - 1) this.#startDue()
      })
      this.#running.add(run)
    }
  }

  async #run(entry: Entry<T>): Promise<void> {
    const { timers, check, log } = this.#dependencies
    entry.isRunning = true
    const verdict = await check(entry.target, this.#abort.signal).catch((error: unknown) => {
      log.error({ err: error, subject: entry.target.subject }, 'a check could not be made')
      return { failed: entry.failed, isUnsettled: false }
    })
    entry.isRunning = false
    entry.failed = verdict.failed
    const { intervalMs } = entry.target
    const now = timers.monotonic()
    const delay = retryDelay({ ...verdict, intervalMs, isWidespread: this.#isWidespread() })
    entry.dueAt = delay === undefined ? nextRegular(now, intervalMs, entry.jitter) : now + delay
  }

  #isWidespread(): boolean {
    let failing = 0
    for (const { failed } of this.#entries.values()) if (failed > 0) failing += 1
    return failing > 2 && failing > this.#entries.size * widespread
  }
}

/** Time within which so many new subjects are checked first, milliseconds: ten a second, and not all in the first second. */
const firstWithin = (count: number): number => 1000 + count * 100
