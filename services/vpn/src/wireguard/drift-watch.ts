import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@hearth/runtime'
import type { Drift } from './drift.ts'

/** Work repeated with a pause in between; rounds never overlap. */
export interface Repetition {
  /** Ends it; resolves when a round that runs has ended. */
  stop(): Promise<void>
}

/** Repeats `round`, the first time after one interval (milliseconds). A round that fails is logged and the next one comes. */
export function repeatRound(round: () => Promise<void>, options: { interval: number; log: Log }): Repetition {
  const end = new AbortController()
  const wait = () => pause(options.interval, undefined, { signal: end.signal, ref: false }).catch(() => undefined)
  const running = (async () => {
    for (await wait(); !end.signal.aborted; await wait()) {
      await round().catch((error: unknown) => options.log.error({ err: error }, 'the check of the tunnels failed'))
    }
  })()
  return {
    stop: () => {
      end.abort()
      return running
    },
  }
}

/** Passes drifts on: one that was put right each time it happens, one that stays only once. */
export function reportOnce(report: (drift: Drift) => void): (drift: Drift) => void {
  const standing = new Map<string | null, string>()
  return (drift) => {
    const text = JSON.stringify(drift)
    if (drift.failure === null) standing.delete(drift.interface)
    else if (standing.get(drift.interface) === text) return
    else standing.set(drift.interface, text)
    report(drift)
  }
}
