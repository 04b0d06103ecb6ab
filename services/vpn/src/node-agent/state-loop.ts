import type { Log, Timers } from '@hearth/runtime'
import { z } from 'zod'
import { linkPaths, stateWaitMs } from '../nodes/link-schema.ts'
import { type ControlLink, ControlRefused } from './control-link.ts'
import { pauseAfter } from './pauses.ts'
import type { WantedState } from './wanted-state.ts'

/** The answer of the service; what is in the state is looked at by itself, because it may be one that this version does not know. */
const Answer = z.object({ revision: z.string(), state: z.unknown() })

/** Time for an answer beside the wait of the service, milliseconds. */
const answerMs = 15_000

/** Shortest time from one request to the next that brings nothing, milliseconds. */
const leastWaitMs = 1000

export interface StateLoopDependencies {
  readonly link: Pick<ControlLink, 'send'>
  readonly wanted: WantedState
  readonly timers: Pick<Timers, 'delay' | 'monotonic'>
  readonly log: Pick<Log, 'error' | 'warn'>
  /** Called when another state was received. */
  readonly onReceived: () => void
}

/** Asks the service for the state of this node, again and again: each answer comes when there is another state. */
export async function followState(dependencies: StateLoopDependencies, signal: AbortSignal): Promise<void> {
  const { wanted, timers, log } = dependencies
  let failures = 0
  let last: string | undefined
  while (!signal.aborted) {
    const begin = timers.monotonic()
    try {
      const isNew = await ask(dependencies, signal)
      failures = 0
      last = undefined
      if (!isNew) await pause(timers, begin + leastWaitMs - timers.monotonic(), signal)
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      const { message } = error as Error
      // The reports say that the service cannot be reached, or does not know this host any more.
      const isSaid = error instanceof ControlRefused ? error.status === 401 : 'code' in (error as Error)
      if (!isSaid && message !== last) log.warn(`the service sends no state for this node: ${message}`)
      last = message
      await pause(timers, pauseAfter(failures), signal)
    }
    await wanted.retry()
  }
}

/** One request. Returns true when it brought another state. */
async function ask({ link, wanted, onReceived }: StateLoopDependencies, signal: AbortSignal): Promise<boolean> {
  const { received } = wanted
  const options = { answer: Answer, signal, timeoutMs: stateWaitMs + answerMs }
  const { revision, state } = await link.send(linkPaths.state, { revision: received }, options)
  if (state === null || state === undefined || revision === received) return false
  await wanted.take(revision, state)
  onReceived()
  return true
}

const pause = (timers: Pick<Timers, 'delay'>, ms: number, signal: AbortSignal): Promise<void> =>
  ms <= 0 ? Promise.resolve() : timers.delay(ms, signal).catch(() => undefined)
