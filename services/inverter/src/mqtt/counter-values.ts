import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { CatalogObject } from '../catalog/catalog.ts'
import { count, counterKind, type CounterState } from '../metrics/counter.ts'
import { plantId } from '../plant/schema.ts'
import type { Tables } from '../tables.ts'
import { allCounters, deleteCounters, writeCounters } from './store.ts'

/** Interval at which counters are stored, milliseconds: a crash costs no more, and the inverter counts on meanwhile. */
const storeEvery = 60_000

/** The counters of all devices as they are published, kept over restarts. */
export type CounterValues = Awaited<ReturnType<typeof openCounters>>

/** Reads the counters as they were published last. */
export async function openCounters(db: Kysely<Tables>, clock: Clock) {
  const devices = new Map<string, Map<string, CounterState>>()
  const changed = new Map<string, { device_id: string; metric: string; counter: string }>()
  let storedAt = clock.monotonic()
  const countersOf = (deviceId: string) => {
    const known = devices.get(deviceId) ?? new Map<string, CounterState>()
    devices.set(deviceId, known)
    return known
  }
  for (const { device_id: id, metric, counter } of await allCounters(db))
    // Those of the plant are sums, and kept by themselves.
    if (id !== plantId) countersOf(id).set(metric, JSON.parse(counter) as CounterState)

  async function store(): Promise<void> {
    storedAt = clock.monotonic()
    const rows = [...changed.values()]
    changed.clear()
    if (rows.length > 0) await writeCounters(db, rows)
  }

  return {
    /** Returns the value to publish for a reading of the inverter. */
    next(deviceId: string, { name, unit }: Pick<CatalogObject, 'name' | 'unit'>, reading: number): number {
      const counters = countersOf(deviceId)
      const state = count(counters.get(name), { value: reading, at: clock.now() }, counterKind(name, unit))
      counters.set(name, state)
      changed.set(`${deviceId} ${name}`, { device_id: deviceId, metric: name, counter: JSON.stringify(state) })
      return state.value
    },
    /** Stores what changed, when the last time is long enough ago. */
    async keep(): Promise<void> {
      if (clock.monotonic() - storedAt >= storeEvery) await store()
    },
    /** Stores what changed. */
    store,
    /** Forgets a device that was removed or replaced by another inverter. */
    async forget(deviceId: string): Promise<void> {
      devices.delete(deviceId)
      for (const key of changed.keys()) if (key.startsWith(`${deviceId} `)) changed.delete(key)
      await deleteCounters(db, deviceId)
    },
  }
}
