import { setTimeout as pause } from 'node:timers/promises'

/** Time that a caller waits for a resolver that gives no sign of life, milliseconds. */
const patienceMs = 800

/** A change that is stored, on its way to the resolver. */
export interface ChangeUnderWay {
  /** Resolves when it is in force. */
  readonly change: Promise<unknown>
  /** Milliseconds since the resolver last gave a sign of life. */
  readonly quietMs: () => number
  /** Called with what went wrong after the caller was told. */
  readonly failed: (error: unknown) => void
}

/**
 * Waits until a change is in force. True when it is; false when the resolver has given no sign of life for 0.8 s: it goes by the
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
export const standing = (inForce: boolean): string =>
  inForce ? '' : '; the resolver does not answer at the moment, it goes by this as soon as it does'
