import { numberOf, type ValueMap } from './live-value.ts'

/** Where power goes at one moment, in watts. What is not known is undefined. */
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

/** Reads the flow out of the values of one device; a string that gives nothing counts as dark when the other gives. */
export function flowOf(values: ValueMap): EnergyFlow {
  const [a, b] = [numberOf(values, 'solar_a_power'), numberOf(values, 'solar_b_power')]
  return {
    solar: a === undefined && b === undefined ? undefined : Math.max(0, (a ?? 0) + (b ?? 0)),
    house: numberOf(values, 'household_load_power'),
    battery: numberOf(values, 'battery_power'),
    grid: numberOf(values, 'grid_power'),
    soc: numberOf(values, 'battery_soc'),
  }
}

/** Watts that are noise of the meter, not a flow. */
export const noiseW = 15

/** Which way a link of the picture runs: into the inverter, out of it, or not at all. */
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

/** What the battery does, in a word. */
export function batteryWord(watts: number | undefined): string {
  const words: Record<Direction, string> = { in: 'Discharging', out: 'Charging', still: 'Resting' }
  return watts === undefined ? 'No value' : words[directionOf(watts)]
}

/** What the grid does, in a word. */
export function gridWord(watts: number | undefined): string {
  const words: Record<Direction, string> = { in: 'Importing', out: 'Exporting', still: 'Balanced' }
  return watts === undefined ? 'No value' : words[directionOf(watts)]
}
