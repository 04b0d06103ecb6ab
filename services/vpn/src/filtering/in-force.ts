import { setTimeout as pause } from 'node:timers/promises'

/** Time that a caller waits for an unresponsive resolver, milliseconds. */
const patienceMs = 800

/** A change that is stored, on its way to the resolver. */
export interface ChangeUnderWay {
  /** Resolves when it is in force. */
  readonly change: Promise<unknown>
  /** Milliseconds since the last heartbeat of the resolver. */
  readonly quietMs: () => number
  /** Called with an error that comes after the caller was answered. */
  readonly failed: (error: unknown) => void
}

/**
 * Waits until a change is in force. True when it is; false when the resolver has sent no heartbeat for 0.8 s; it uses the
 * change as soon as it answers again. Rejects with what goes wrong until then.
 */
export async function inForceSoon({ change, quietMs, failed }: ChangeUnderWay): Promise<boolean> {
  const since = performance.now()
  const done = change.then(() => true)
  for (;;) {
    const waited = Math.min(performance.now() - since, quietMs())
    if (waited >= patienceMs) break
    const timer = new AbortController()
    const late = pause(patienceMs - waited, false, { signal: timer.signal }).catch(() => false)
    try {
      if (await Promise.race([done, late])) return true
    } finally {
      timer.abort()
    }
  }
  done.catch(failed)
  return false
}

/** End of a message about a stored change: how it stands when it is not in force yet. */
export const pendingNote = (inForce: boolean): string =>
  inForce ? '' : '; the resolver does not answer at the moment, it goes by this as soon as it does'

/**
 * Makes `run` callable concurrently: calls during a run share the next run, which starts after all of them. So each caller's
 * promise covers what was there when it called, and bursts cost two runs.
 */
export function joinRuns(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        running = run()
        return running
      })
    return next
  }
}

/** Maximum number of ids of one run; with more it is for all. */
const maxIds = 500

/**
 * As `joinRuns`, for a run that can be limited to some ids: it is given those of all its callers, or undefined for all there
 * are, as a caller without ids wants. A run that fails leaves it open what was done, so the next one is for all.
 */
export function joinChanges(
  run: (ids: readonly string[] | undefined) => Promise<void>,
): (ids?: readonly string[]) => Promise<void> {
  const waiting = new Set<string>()
  let isForAll = false
  const joined = joinRuns(async () => {
    const ids = isForAll || waiting.size > maxIds ? undefined : [...waiting]
    isForAll = false
    waiting.clear()
    try {
      await run(ids)
    } catch (error) {
      isForAll = true
      throw error
    }
  })
  return (ids) => {
    if (ids === undefined) isForAll = true
    else for (const id of ids) waiting.add(id)
    return joined()
  }
}
