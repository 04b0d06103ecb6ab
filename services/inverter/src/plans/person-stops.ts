import type { Database } from '@hearth/database'
import { z } from 'zod'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Tables } from '../tables.ts'

const setting = 'plan_stop'

const Stored = z.record(z.string(), z.number())

/** Until when a person wants nothing of the plan, by inverter: the ends of the parts that they stopped. */
export type PersonStops = Awaited<ReturnType<typeof openPersonStops>>

/** Reads what people stopped. */
export async function openPersonStops({ query }: Database<Tables>, onlyDevice: string) {
  const found = await readSetting(query, setting)
  // Plans were for one inverter alone, and the stop was a number.
  const parsed = Stored.safeParse(typeof found === 'number' ? { [onlyDevice]: found } : found)
  let stops: Readonly<Record<string, number>> = parsed.success ? parsed.data : {}
  async function set(deviceIds: readonly string[], until: number): Promise<void> {
    if (deviceIds.every((id) => (stops[id] ?? 0) === until)) return
    stops = Object.assign({}, stops, Object.fromEntries(deviceIds.map((id) => [id, until])))
    await writeSetting(query, setting, stops)
  }
  return {
    of: (deviceId: string) => ({
      get: (): number => stops[deviceId] ?? 0,
      set: (until: number): Promise<void> => set([deviceId], until),
    }),
    set,
  }
}
