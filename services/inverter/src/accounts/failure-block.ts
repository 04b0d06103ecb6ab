import type { Clock } from '@hearth/runtime'

/** Failed attempts of one key in a window, and how long it is shut out afterwards; seconds. */
const allowed = 5
const windowSeconds = 300
const blockSeconds = 900

/** Keys remembered at once; with more, everybody who fails is shut out rather than nobody. */
const capacity = 10_000

/** Counts failed attempts and says who is shut out for how long. */
export interface FailureBlock {
  /** Counts one failure; seconds until the key may try again, 0 while it still may. */
  note(key: string): number
  closedFor(key: string): number
  forget(key: string): void
}

/** Five failures in five minutes shut a key out for fifteen, measured on a clock that does not jump. */
export function createFailureBlock(clock: Clock): FailureBlock {
  const entries = new Map<string, { failures: number[]; closedUntil: number }>()

  function forgetOld(now: number): void {
    for (const [key, entry] of entries) {
      const last = entry.failures.at(-1) ?? 0
      if (entry.closedUntil <= now && last <= now - windowSeconds * 1000) entries.delete(key)
    }
  }

  function closedFor(key: string): number {
    const rest = (entries.get(key)?.closedUntil ?? 0) - clock.monotonic()
    return Math.max(0, Math.ceil(rest / 1000))
  }

  function note(key: string): number {
    const now = clock.monotonic()
    if (entries.size >= capacity) forgetOld(now)
    if (entries.size >= capacity && !entries.has(key)) return blockSeconds
    const entry = entries.get(key) ?? { failures: [], closedUntil: 0 }
    entries.set(key, entry)
    if (entry.closedUntil > now) return closedFor(key)
    entry.failures = [...entry.failures.filter((moment) => moment > now - windowSeconds * 1000), now]
    if (entry.failures.length <= allowed) return 0
    entry.closedUntil = now + blockSeconds * 1000
    return blockSeconds
  }

  return { note, closedFor, forget: (key) => void entries.delete(key) }
}
