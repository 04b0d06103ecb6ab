import type { Timers } from '@hearth/runtime'
import { DueTime } from '../due-time.ts'

/** First and longest pause after a failure, milliseconds. */
const firstPause = 300_000
const longestPause = 7_200_000

/** Outcome of a load. */
export interface Loaded {
  /** When to load again, milliseconds since the epoch. */
  readonly dueAt: number
  /** True if anything differs from what was loaded before. */
  readonly isNew: boolean
}

/** Something that is loaded now and again. */
export interface FeedOptions {
  readonly timers: Timers
  /** Loads. Rejects with a reason in words. */
  readonly load: (signal: AbortSignal) => Promise<Loaded>
  /** Shortest time between two loads that a person asks for, milliseconds. */
  readonly minPauseMs: number
}

/** Loads when it is due, and after failures with growing pauses that are never the same for two installations. */
export class Feed {
  readonly #options: FeedOptions
  readonly #end = new AbortController()
  readonly #due: DueTime
  #failures = 0
  #error: string | null = null

  constructor(options: FeedOptions) {
    this.#options = options
    this.#due = new DueTime(options.timers)
  }

  /** Reason of the last failure; null after a success. */
  get error(): string | null {
    return this.#error
  }

  /** Loads if it is due. Resolves to true when that brought something new. */
  async refresh(): Promise<boolean> {
    const { timers, load } = this.#options
    if (!this.#due.isDue() || this.#end.signal.aborted) return false
    const begun = this.#due.moment()
    try {
      const { dueAt, isNew } = await load(this.#end.signal)
      this.#due.set(dueAt, begun)
      this.#failures = 0
      this.#error = null
      return isNew
    } catch (error) {
      if (this.#end.signal.aborted) return false
      this.#error = error instanceof Error ? error.message : 'unknown error'
      const pause = withJitter(Math.min(longestPause, firstPause * 2 ** this.#failures))
      this.#due.set(timers.now() + pause)
      this.#failures = Math.min(this.#failures + 1, 10)
      return false
    }
  }

  /** Loads at the next chance, unless it has just done so. */
  hurry(): void {
    this.#due.hurry(this.#options.minPauseMs)
  }

  close(): void {
    this.#end.abort()
  }
}

/** A pause and up to a quarter more. */
export const withJitter = (ms: number): number => ms * (1 + Math.random() / 4)
