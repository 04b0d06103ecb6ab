import type { LogEntry, LogRing } from '../dns/log-ring.ts'

/**
 * Time that an entry may take until it is published, milliseconds. Younger entries of another ring wait
 * for it so long.
 */
const settleMs = 100

/**
 * Hands the entries of all rings to `take` in the order of their times, at most so many. Entries of the last 100 ms stay for the
 * next time, as older ones of another ring may not be published yet; with a clock that says `Infinity` none stays. The clock
 * (milliseconds since the epoch) is read after the rings: what they hold was made before. Returns how many there were.
 */
export function mergeRings(
  rings: readonly LogRing[],
  take: (entry: LogEntry) => void,
  { most, clock }: { readonly most: number; readonly clock: () => number },
): number {
  for (const ring of rings) ring.refresh()
  const now = clock()
  let taken = 0
  while (taken < most) {
    let next: LogRing | undefined
    let first = Infinity
    let second = now - settleMs
    for (const ring of rings) {
      const at = turnOf(ring, now)
      if (at < first) {
        second = Math.min(second, first)
        first = at
        next = ring
      } else second = Math.min(second, at)
    }
    if (next === undefined || first > now - settleMs) break
    taken += next.read(take, most - taken, Math.max(next.nextAt(), second))
  }
  return taken
}

/** Returns true if there is an entry that `mergeRings` would hand over now. */
export function hasSettled(rings: readonly LogRing[], clock: () => number): boolean {
  for (const ring of rings) ring.refresh()
  const now = clock()
  return rings.some((ring) => turnOf(ring, now) <= now - settleMs)
}

/** Entries that found no room in the rings. */
export const lostOf = (rings: readonly LogRing[]): number => rings.reduce((sum, ring) => sum + ring.lost(), 0)

/** Bytes that wait in the rings. */
export const waitingIn = (rings: readonly LogRing[]): number => rings.reduce((sum, ring) => sum + ring.waiting(), 0)

/** Ends a write of what was read from the rings: gives its room free, or has all of it come again. */
export function endWrite(rings: readonly LogRing[], isWritten: boolean): void {
  for (const ring of rings) {
    if (isWritten) ring.release()
    else ring.rewind()
  }
}

/** Returns when it is a ring's turn: at the time of its next entry. An entry of the future was made before the clock was set back: at once. */
function turnOf(ring: LogRing, now: number): number {
  const at = ring.nextAt()
  return at > now && at !== Infinity ? -Infinity : at
}
