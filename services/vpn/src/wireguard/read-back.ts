import { setTimeout as pause } from 'node:timers/promises'
import type { DeviceState } from './device.ts'

/** Checks changes against later readings of the device, for devices too big to be read before each answer. */
export interface ReadBack {
  /** Asks for the peers of these keys to be checked by a reading that starts after this moment. */
  request(name: string, keys: readonly string[]): void
  /** Takes part in a reading somebody makes anyway: call before it starts, and the result with what was read. */
  begin(name: string): (state: DeviceState | undefined) => void
  /** Resolves when nothing is left to check. */
  idle(): Promise<void>
}

/** Dependencies of `createReadBack`. */
export interface ReadBackParts {
  /** Reads the device; calls `begin` itself. */
  readonly read: (name: string) => Promise<unknown>
  /** Compares the keys with what was read and sees to it when they differ. */
  readonly check: (name: string, keys: ReadonlySet<string>, state: DeviceState | undefined) => void
  /** Milliseconds of quiet before a reading, and the longest wait: a reading holds the device's lock for a while. */
  readonly quiet: number
  readonly longest: number
}

/** One line of readings a device: many changes share one, and no reading starts while another runs. */
export function createReadBack(parts: ReadBackParts): ReadBack {
  const waiting = new Map<string, { keys: Set<string>; since: number; latest: number }>()
  const running = new Map<string, Promise<void>>()

  async function run(name: string): Promise<void> {
    for (let wait = waiting.get(name); wait !== undefined; wait = waiting.get(name)) {
      const due = Math.min(wait.latest + parts.quiet, wait.since + parts.longest)
      const left = due - performance.now()
      if (left > 0) await pause(left)
      else await parts.read(name).catch(() => waiting.delete(name))
    }
    running.delete(name)
  }

  return {
    request(name, keys) {
      const now = performance.now()
      const wait = waiting.get(name) ?? { keys: new Set(), since: now, latest: now }
      waiting.set(name, wait)
      wait.latest = now
      for (const key of keys) wait.keys.add(key)
      if (!running.has(name)) running.set(name, run(name))
    },
    begin(name) {
      const wait = waiting.get(name)
      if (wait === undefined) return () => undefined
      waiting.delete(name)
      return (state) => parts.check(name, wait.keys, state)
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}
