import type { NewService } from '@hearth/testing'
import { readConfig } from '../src/config.ts'
import { openStorage } from '../src/database/open.ts'
import { LocalDays } from '../src/history/local-days.ts'
import { slotAt, startOfSlot, type Slot } from '../src/history/quantities.ts'
import { addMeter, writeSlots } from '../src/history/store.ts'

/** Gives the simulated inverter of a running service forty days of history before today, with a gap in each. */
export async function fillWithSun({ environment }: Pick<NewService, 'environment'>): Promise<{ yesterday: string }> {
  const { database } = await openStorage(readConfig(environment))
  const days = new LocalDays(Temporal.Now.timeZoneId())
  const today = days.at(Date.now())
  const meter = await addMeter(database.query, 'simulated')
  const first = days.on(Temporal.PlainDate.from(today.date).subtract({ days: 40 }).toString())
  for (const day of days.between(first.from, today.from)) {
    const slots = Array.from({ length: slotAt(day.until) - slotAt(day.from) }, (_, index) =>
      sunny(slotAt(day.from) + index, (startOfSlot(slotAt(day.from) + index) - day.from) / 3_600_000),
    ).filter((slot) => slot !== undefined)
    await writeSlots(database.query, { meter, slots, days, change: { capacity_wh: 9600 } })
  }
  await database.close()
  return { yesterday: days.at(today.from - 1).date }
}

/** Five minutes of a sunny day at an hour of it; undefined in the gap, and counted alone before it. */
function sunny(slot: number, hour: number): Slot | undefined {
  if (hour >= 9 && hour < 11) return undefined
  const pv = hour < 6 || hour > 20 ? 0 : Math.round(5200 * Math.sin(((hour - 6) / 14) * Math.PI))
  const load = Math.round(420 + 1500 * Math.exp(-(((hour - 19) / 2) ** 2)) + 60 * Math.sin(slot))
  const soc = Math.max(0.07, Math.min(1, 0.5 - 0.45 * Math.cos(((hour - 4) / 24) * 2 * Math.PI)))
  const battery = Math.round(Math.max(-2500, Math.min(2500, load - pv)) * 0.8)
  const grid = load - pv - battery
  const energy = (watts: number) => Math.round(Math.max(0, watts) / 12)
  const isCounted = hour >= 8 && hour < 9
  return {
    slot,
    pv_wh: energy(pv),
    load_wh: energy(load),
    import_wh: energy(grid),
    export_wh: energy(-grid),
    charge_wh: energy(-battery),
    discharge_wh: energy(battery),
    pv_w: isCounted ? null : pv,
    load_w: isCounted ? null : load,
    grid_w: isCounted ? null : grid,
    battery_w: isCounted ? null : battery,
    soc: isCounted ? null : Math.round(soc * 1000),
    source: isCounted ? 2 : hour < 3 ? 1 : 0,
  }
}
