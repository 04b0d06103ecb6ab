import type { Log, Timers } from '@hearth/runtime'
import { ControlRefused } from './control-link.ts'
import { pauseAfter } from './pauses.ts'

/** Shortest time from one request to the next that brings nothing, milliseconds. */
const leastWaitMs = 1000

/** A request that waits for something new, and is sent again and again. */
export interface RepeatedRequest {
  readonly timers: Pick<Timers, 'delay' | 'monotonic'>
  readonly log: Pick<Log, 'warn'>
  /** What the service does instead of an answer, as a warning says it: `sends no state for this node`. */
  readonly what: string
  /** One request. Returns true when it brought something new. */
  readonly ask: (signal: AbortSignal) => Promise<boolean>
  /** Called after each request, whether or not it was answered. */
  readonly after?: () => Promise<void>
}

/** Sends a request until the signal; while the service does not answer, after pauses that grow. */
export async function repeatRequest(
  { timers, log, what, ask, after }: RepeatedRequest,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0
  let last: string | undefined
  while (!signal.aborted) {
    const begin = timers.monotonic()
    try {
      const isNew = await ask(signal)
      failures = 0
      last = undefined
      if (!isNew) await pause(timers, begin + leastWaitMs - timers.monotonic(), signal)
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      const { message } = error as Error
      // The reports say that the service cannot be reached, or does not know this host any more.
      const isSaid = error instanceof ControlRefused ? error.status === 401 : isOfConnection(error as Error)
      if (!isSaid && message !== last) log.warn(`the service ${what}: ${message}`)
      last = message
      await pause(timers, pauseAfter(failures), signal)
    }
    await after?.()
  }
}

const isOfConnection = (error: Error): boolean => 'code' in error

const pause = (timers: Pick<Timers, 'delay'>, ms: number, signal: AbortSignal): Promise<void> =>
  ms <= 0 ? Promise.resolve() : timers.delay(ms, signal).catch(() => undefined)
