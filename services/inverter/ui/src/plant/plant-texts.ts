import type { PlantNow } from '../api.ts'
import { batteryLabel, directionOf, type EnergyFlow } from '../values/energy-flow.ts'
import { energy, power, spell } from '../values/quantity.ts'

type Sum = PlantNow['pv']

/** The flow of the plant; what is not known of every inverter is not known of the plant. */
export function plantFlow({ pv, battery, grid, house, soc_percent: soc }: PlantNow): EnergyFlow {
  return {
    solar: pv.watts ?? undefined,
    house: house.watts ?? undefined,
    battery: battery.watts ?? undefined,
    grid: grid.watts ?? undefined,
    soc: soc === null ? undefined : soc / 100,
  }
}

/** Who is missing and what is known all the same, in a sentence; undefined while all are there. */
export function missingText({ inverters, away, pv, battery }: PlantNow): string | undefined {
  if (away.length === 0) return undefined
  const names = inverters.filter(({ device_id }) => away.includes(device_id)).map(({ display_name }) => display_name)
  const there = `${inverters.length - away.length} of ${inverters.length} inverters`
  const known = [partText('produced', pv), partText(batteryLabel(battery.known_watts ?? 0).toLowerCase(), battery)]
  const parts = known.filter((text) => text !== undefined).join(', ')
  return `No values from ${names.join(' and ')}. ${there} answer${parts === '' ? '' : `: ${parts}`}.`
}

function partText(what: string, { known_watts: watts }: Sum): string | undefined {
  return watts === null ? undefined : `${spell(power(watts))} ${what}`
}

/** What one inverter does, in words. */
export function inverterText({ pv_w, battery_w, soc_percent, is_away }: PlantNow['inverters'][number]): string {
  if (is_away) return 'No values now'
  const texts = [
    pv_w === null ? undefined : `${spell(power(pv_w))} solar`,
    battery_w === null ? undefined : batteryText(battery_w),
    soc_percent === null ? undefined : `${Math.round(soc_percent)} % full`,
  ]
  return texts.filter((text) => text !== undefined).join(', ')
}

function batteryText(watts: number): string {
  const label = `battery ${batteryLabel(watts).toLowerCase()}`
  return directionOf(watts) === 'still' ? label : `${label} ${spell(power(watts))}`
}

/** What all batteries hold, in words. */
export function contentText({ stored_wh: stored, capacity_wh: capacity }: PlantNow): string {
  if (capacity === null) return '–'
  return `${stored === null ? '–' : spell(energy(stored))} of ${spell(energy(capacity))}`
}
