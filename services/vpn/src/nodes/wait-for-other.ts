import { setTimeout as pause } from 'node:timers/promises'
import { stateWaitMs } from './link-schema.ts'
import type { StateWaiters } from './state-waiters.ts'

/** Pause after a change, milliseconds: several that come together make one answer. */
const settleMs = 500
/** How many times as long as a reading it is at least: with ten thousand peers one takes a quarter of a second. */
const settleFactor = 4

/** What a node is to have, with the revision that stands for it. */
export interface Revised {
  readonly revision: string
}

/** A request of a node that has the answer of a revision, or none. */
export interface WaitingRequest {
  readonly nodeId: string
  readonly known: string | null
  readonly signal: AbortSignal
}

/**
 * Reads what a node is to have until it is another than the node knows, or the wait is over. It is read anew after each wake, so a
 * lost wake costs one wait and nothing else.
 */
export async function waitForOther<T extends Revised>(
  waiters: StateWaiters,
  { nodeId, known, signal }: WaitingRequest,
  read: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + stateWaitMs
  using waiter = waiters.begin(nodeId, signal)
  for (;;) {
    const { changes } = waiter
    const begin = performance.now()
    const found = await read()
    if (found.revision !== known) return found
    const took = performance.now() - begin
    if (!(await waiter.next(changes, end - performance.now()))) return found
    await pause(Math.max(settleMs, took * settleFactor), undefined, { signal }).catch(() => undefined)
  }
}
