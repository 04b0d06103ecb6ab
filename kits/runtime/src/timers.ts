import { systemClock, type Clock } from './clock.ts'

/** A clock with delays that follow its own time. */
export interface Timers extends Clock {
  /** Runs once after so many milliseconds, unless the returned function cancels it. Does not keep the process alive. */
  after(ms: number, run: () => void): () => void
  /** Resolves after so many milliseconds; rejects with the signal's reason when that comes first. */
  delay(ms: number, signal?: AbortSignal): Promise<void>
}

const after: Timers['after'] = (ms, run) => {
  const timer = setTimeout(run, ms).unref()
  return () => clearTimeout(timer)
}

/** The time of the machine. */
export const systemTimers: Timers = { ...systemClock, after, delay: delayBy(after) }

/**
 * Time that runs `factor` times as fast as the machine's, for tests that simulate a day. `jump` moves the wall clock alone, as
 * an administrator or a time server would.
 */
export function createFastTimers(factor: number, start = Date.now()): Timers & { jump(ms: number): void } {
  const time = new FastTime(factor)
  let jumped = 0
  return {
    monotonic: () => time.monotonic(),
    now: () => Math.round(start + jumped + time.monotonic()),
    jump(ms) {
      jumped += ms
    },
    after: (ms, run) => time.after(ms, run),
    delay: delayBy((ms, run) => time.after(ms, run)),
  }
}

/** Maximum machine time that counts at once while something waits, milliseconds. */
const maxStep = 5

/**
 * The time of `createFastTimers`. A process that gets no processor for a moment would see minutes go by at once, so a longer
 * moment counts as `maxStep`: on a busy machine this time passes more slowly, and nothing in it comes too late.
 */
class FastTime {
  readonly #factor: number
  #passed = 0
  #readAt = performance.now()
  #waiting = 0
  /** Reads the time often while something waits, so that a long gap means that the process did not run. */
  #ticker: NodeJS.Timeout | undefined

  constructor(factor: number) {
    this.#factor = factor
  }

  monotonic(): number {
    const now = performance.now()
    const gap = now - this.#readAt
    this.#readAt = now
    const mayStep = this.#ticker !== undefined && this.#factor > 1
    this.#passed += (mayStep ? Math.min(gap, maxStep) : gap) * this.#factor
    return this.#passed
  }

  after(ms: number, run: () => void): () => void {
    const due = this.monotonic() + ms
    let timer: NodeJS.Timeout | undefined
    let isWaiting = true
    this.#wait(1)
    const end = () => {
      if (!isWaiting) return
      isWaiting = false
      clearTimeout(timer)
      this.#wait(-1)
    }
    const arm = (left: number) => {
      timer = setTimeout(() => {
        const rest = due - this.monotonic()
        // The system's timers are right to a millisecond.
        if (rest > this.#factor) return arm(rest)
        this.#passed = Math.max(this.#passed, due)
        end()
        run()
      }, left / this.#factor).unref()
    }
    arm(ms)
    return end
  }

  #wait(change: 1 | -1): void {
    this.#waiting += change
    if (this.#waiting > 0) this.#ticker ??= setInterval(() => this.monotonic(), 1).unref()
    else {
      clearInterval(this.#ticker)
      this.#ticker = undefined
    }
  }
}

/**
 * Time that passes only in waits, for tests of long waits around real work: the wait that ends first ends at once and moves both
 * clocks to its end. Work takes no time, however slow the machine. `jump` moves the wall clock alone.
 */
export function createSkippingTimers(start = Date.now()): Timers & { jump(ms: number): void } {
  const waits = new Set<{ readonly due: number; readonly run: () => void }>()
  let passed = 0
  let wall = start
  const endFirst = () => {
    const [first] = [...waits].sort((one, other) => one.due - other.due)
    if (first === undefined) return
    waits.delete(first)
    passed = Math.max(passed, first.due)
    first.run()
  }
  const after: Timers['after'] = (ms, run) => {
    const wait = { due: passed + ms, run }
    waits.add(wait)
    const turn = setTimeout(endFirst, 0)
    return () => {
      if (waits.delete(wait)) clearTimeout(turn)
    }
  }
  return {
    monotonic: () => passed,
    now: () => Math.round(wall + passed),
    jump(ms) {
      wall += ms
    },
    after,
    delay: delayBy(after),
  }
}

function delayBy(wait: Timers['after']): Timers['delay'] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(reasonOf(signal))
        return
      }
      const onAbort = () => {
        cancel()
        reject(reasonOf(signal))
      }
      const cancel = wait(ms, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      signal?.addEventListener('abort', onAbort, { once: true })
    })
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('the wait was ended')
}
