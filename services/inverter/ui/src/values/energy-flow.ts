import type { Capability } from '../api.ts'
import { numberOf, type ValueMap } from './live-value.ts'
import { percent, power, spell } from './quantity.ts'

/** The energy flow at one time, in watts. Unknown values are undefined. */
export interface EnergyFlow {
  /** Produced by both strings together. */
  solar: number | undefined
  house: number | undefined
  /** Positive discharges. */
  battery: number | undefined
  /** Positive comes from the grid. */
  grid: number | undefined
  /** 0 to 1. */
  soc: number | undefined
}

/** The signs of a device by its capabilities; positive while none are known. */
export function signsOf(capabilities: readonly Capability[]) {
  return {
    isDischargePositive: capabilities.every((capability) => capability.battery_discharge_positive !== false),
    isImportPositive: capabilities.every((capability) => capability.grid_import_positive !== false),
  }
}

const signed = (watts: number | undefined, isUsual: boolean) => (watts === undefined || isUsual ? watts : -watts)

/** Reads the flow out of the values of one device; a string that gives nothing counts as dark when the other gives. */
export function flowOf(values: ValueMap, signs = signsOf([])): EnergyFlow {
  const [a, b] = [numberOf(values, 'solar_a_power'), numberOf(values, 'solar_b_power')]
  return {
    solar: a === undefined && b === undefined ? undefined : Math.max(0, (a ?? 0) + (b ?? 0)),
    house: numberOf(values, 'household_load_power'),
    battery: signed(numberOf(values, 'battery_power'), signs.isDischargePositive),
    grid: signed(numberOf(values, 'grid_power'), signs.isImportPositive),
    soc: numberOf(values, 'battery_soc'),
  }
}

/** Watts that are noise of the meter, not a flow. */
export const noiseW = 15

/** Direction of a measured battery power; discharge is positive. */
export const batteryDirection = (watts: number) =>
  ({ in: 'discharge', out: 'charge', still: 'none' } as const)[directionOf(watts)]

/** Direction of a link in the picture: into the inverter, out of it, or none. */
export type Direction = 'in' | 'out' | 'still'

/** Direction of a power that is positive when it comes in. */
export function directionOf(watts: number | undefined): Direction {
  if (watts === undefined || Math.abs(watts) < noiseW) return 'still'
  return watts > 0 ? 'in' : 'out'
}

/** Seconds a dot takes for its step: few steps, so that a picture does not restart at every watt. */
export function stepSeconds(watts: number | undefined): number {
  const power = Math.abs(watts ?? 0)
  if (power < 200) return 2.4
  if (power < 800) return 1.6
  if (power < 2500) return 1
  return power < 6000 ? 0.65 : 0.4
}

/** Label of the battery's state. */
export const batteryLabel = (watts: number | undefined) =>
  byDirection(watts, { in: 'Discharging', out: 'Charging', still: 'Idle', unknown: 'No value' })

/** Label of the grid's state. */
export const gridLabel = (watts: number | undefined) =>
  byDirection(watts, { in: 'Importing', out: 'Exporting', still: 'Balanced', unknown: 'No value' })

/** The text for a power's direction; `#` stands for the power. */
function byDirection(watts: number | undefined, texts: Record<Direction | 'unknown', string>): string {
  return texts[watts === undefined ? 'unknown' : directionOf(watts)].replace('#', spell(power(watts)))
}

/** Text alternative of the energy flow, for screen readers. */
export function describeFlow({ solar, house, battery, grid, soc }: EnergyFlow): string {
  const flows = [
    solar === undefined ? 'solar power unknown' : `solar ${spell(power(solar))}`,
    house === undefined ? 'house unknown' : `house uses ${spell(power(house))}`,
    byDirection(battery, {
      unknown: 'battery power unknown',
      still: 'battery idle',
      in: 'battery discharges #',
      out: 'battery charges #',
    }),
    byDirection(grid, {
      unknown: 'grid power unknown',
      still: 'no grid exchange',
      in: '# from the grid',
      out: '# to the grid',
    }),
    ...(soc === undefined ? [] : [`battery at ${spell(percent(soc))}`]),
  ]
  return `Energy flow: ${flows.join(', ')}`
}

/** The day's balance in watt-hours, all counted upwards; the inverter counts what is fed in downwards. */
export function dayOf(read: (name: string) => number | undefined) {
  const strings = [read('energy_e_dc_day_0'), read('energy_e_dc_day_1')].filter((part) => part !== undefined)
  const [used, imported, exported] = [
    read('energy_e_load_day'),
    read('energy_e_grid_load_day'),
    read('energy_e_grid_feed_day'),
  ].map((part) => (part === undefined ? undefined : Math.abs(part)))
  return {
    produced: strings.length === 0 ? undefined : strings.reduce((sum, part) => sum + Math.abs(part), 0),
    used,
    imported,
    exported,
    /** Share of the use that did not come from the grid, 0 to 1. */
    selfSufficiency:
      used === undefined || imported === undefined || used <= 0 ? undefined : Math.max(0, 1 - imported / used),
  }
}
