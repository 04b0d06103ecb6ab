import type { Clock } from '@hearth/runtime'

const free = 3
const longest = 60
const mostNames = 10_000

/** Slows down guessing of one account's password: after three failures each further one doubles the wait, up to a minute. */
export interface SignInDelay {
  /** Seconds until this name may be tried again; 0 for now. */
  wait(name: string): number
  failed(name: string): void
  succeeded(name: string): void
}

export function createSignInDelay(clock: Clock): SignInDelay {
  const failures = new Map<string, { count: number; until: number }>()
  return {
    wait(name) {
      const known = failures.get(name)
      return known === undefined ? 0 : Math.max(0, Math.ceil((known.until - clock.monotonic()) / 1000))
    },
    failed(name) {
      const count = (failures.get(name)?.count ?? 0) + 1
      const seconds = count < free ? 0 : Math.min(longest, 2 ** (count - free))
      failures.delete(name)
      failures.set(name, { count, until: clock.monotonic() + seconds * 1000 })
      if (failures.size > mostNames) failures.delete(failures.keys().next().value ?? '')
    },
    succeeded(name) {
      failures.delete(name)
    },
  }
}
