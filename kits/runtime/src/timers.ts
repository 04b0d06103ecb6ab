import { systemClock, type Clock } from './clock.ts'

/** A clock that can also be waited on. What waits on it follows the same time as what measures with it. */
export interface Timers extends Clock {
  /** Runs once after so many milliseconds, unless the returned function cancels it. Does not keep the process alive. */
  after(ms: number, run: () => void): () => void
  /** Resolves after so many milliseconds; rejects with the signal's reason when that comes first. */
  delay(ms: number, signal?: AbortSignal): Promise<void>
}

/** The machine's own time. */
export const systemTimers: Timers = { ...systemClock, ...waitingAt(1) }

/**
 * Time that passes `factor` times as fast as the machine's, for tests that live through a day. `jump` moves the wall clock
 * alone, as an administrator or a time server would.
 */
export function createFastTimers(factor: number, start = Date.now()): Timers & { jump(ms: number): void } {
  const begin = performance.now()
  const monotonic = () => (performance.now() - begin) * factor
  let jumped = 0
  return {
    monotonic,
    now: () => Math.round(start + jumped + monotonic()),
    jump(ms) {
      jumped += ms
    },
    ...waitingAt(factor),
  }
}

function waitingAt(factor: number): Pick<Timers, 'after' | 'delay'> {
  const after: Timers['after'] = (ms, run) => {
    const timer = setTimeout(run, ms / factor).unref()
    return () => clearTimeout(timer)
  }
  const delay: Timers['delay'] = (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(reasonOf(signal))
        return
      }
      const onAbort = () => {
        cancel()
        reject(reasonOf(signal))
      }
      const cancel = after(ms, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  return { after, delay }
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('the wait was ended')
}
