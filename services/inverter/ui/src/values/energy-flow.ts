import type { Capability } from '../api.ts'
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

/** Whether a device counts as this page does; found out per device and recorded with its capabilities. */
export interface Signs {
  isDischargePositive: boolean
  isImportPositive: boolean
}

/** What holds for devices of which nothing else is known. */
export const usualSigns: Signs = { isDischargePositive: true, isImportPositive: true }

/** The signs of a device as its capabilities tell them. */
export function signsOf(capabilities: readonly Capability[]): Signs {
  return {
    isDischargePositive: capabilities.every((capability) => capability.battery_discharge_positive !== false),
    isImportPositive: capabilities.every((capability) => capability.grid_import_positive !== false),
  }
}

const signed = (watts: number | undefined, isUsual: boolean) => (watts === undefined || isUsual ? watts : -watts)

/** Reads the flow out of the values of one device; a string that gives nothing counts as dark when the other gives. */
export function flowOf(values: ValueMap, signs: Signs = usualSigns): EnergyFlow {
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

/** Where a measured battery power goes; discharge is positive. */
export const batteryDirection = (watts: number): 'none' | 'charge' | 'discharge' =>
  Math.abs(watts) < noiseW ? 'none' : watts < 0 ? 'charge' : 'discharge'

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
