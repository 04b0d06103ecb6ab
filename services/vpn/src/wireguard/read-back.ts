import { setTimeout as pause } from 'node:timers/promises'
import type { DeviceState } from './device.ts'

/** Milliseconds of quiet before a reading, and the maximum wait: a reading holds the device's lock for a while. */
const quietMs = 200
const maxWaitMs = 5000

/**
 * Creates checks of changes by later readings, for devices too big to be read before each answer. Many changes of a device share
 * one reading, and no reading starts while another runs.
 */
export function createReadBack(dependencies: {
  /** Reads the device; calls `begin` itself. */
  readonly read: (name: string) => Promise<unknown>
  /** Compares the keys with what was read and repairs them when they differ. */
  readonly check: (name: string, keys: ReadonlySet<string>, state: DeviceState | undefined) => void
}) {
  const waiting = new Map<string, { keys: Set<string>; since: number; latest: number }>()
  const running = new Map<string, Promise<void>>()

  async function run(name: string): Promise<void> {
    for (let wait = waiting.get(name); wait !== undefined; wait = waiting.get(name)) {
      const due = Math.min(wait.latest + quietMs, wait.since + maxWaitMs)
      const left = due - performance.now()
      if (left > 0) await pause(left)
      else await dependencies.read(name).catch(() => waiting.delete(name))
    }
    running.delete(name)
  }

  return {
    /** Has the peers of these keys checked by a reading that starts after this call. */
    request(name: string, keys: readonly string[]): void {
      const now = performance.now()
      const wait = waiting.get(name) ?? { keys: new Set(), since: now, latest: now }
      waiting.set(name, wait)
      wait.latest = now
      for (const key of keys) wait.keys.add(key)
      if (!running.has(name)) running.set(name, run(name))
    },
    /** Takes part in a reading that is made anyway: call before it starts, and the result with what was read. */
    begin(name: string): (state: DeviceState | undefined) => void {
      const wait = waiting.get(name)
      if (wait === undefined) return () => undefined
      waiting.delete(name)
      return (state) => dependencies.check(name, wait.keys, state)
    },
    /** Resolves when nothing is left to check. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}
