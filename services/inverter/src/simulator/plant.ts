import { smoothNoise } from './seeded-noise.ts'

/** A house with solar panels on two strings and a battery, at one time. Powers in watts. */
export interface PlantState {
  /** Wall clock, milliseconds since the epoch. */
  readonly at: number
  /** State of charge, 0 to 1. */
  readonly soc: number
  readonly solarA: number
  readonly solarB: number
  readonly load: number
  /** Positive while the battery discharges. */
  readonly battery: number
  /** Positive while the house takes from the grid. */
  readonly grid: number
  readonly temperature: number
  /** Since the plant was built. */
  readonly energy: EnergyCounters
  /** Counters at the beginning of the day, UTC. */
  readonly midnight: EnergyCounters
}

const noEnergy = { solarA: 0, solarB: 0, load: 0, gridImport: 0, gridExport: 0, charged: 0, discharged: 0 }

/** Watt-hours that only grow. */
type EnergyCounters = Readonly<typeof noEnergy>

/** The registers that decide what the battery does. */
export interface BatteryControl {
  readonly strategy: number
  /** Wanted battery power under external control, watts, positive discharges. */
  readonly setpoint: number
  readonly mayChargeFromGrid: boolean
}

/** Capacity of the battery, watt-hours. */
const batteryCapacityWh = 9600
export const maxBatteryPower = 6000
const minSoc = 0.05
const external = 2

/** True while the registers, and not the inverter, decide what the battery does. */
export const isExternal = ({ strategy }: BatteryControl): boolean => strategy === external

/** Share of the energy that goes into the battery and comes out again, each way. */
const efficiency = 0.96

/** Creates a plant at a time of the day, its battery at rest. */
export function newPlant(at: number, soc = 0.5): PlantState {
  const powers = { solarA: 0, solarB: 0, load: 0, battery: 0, grid: 0 }
  return { at, soc, ...powers, temperature: 24, energy: noEnergy, midnight: noEnergy }
}

/** Creates a plant whose counters cover the day so far and whose battery is half full now. */
export function plantAt(at: number, seed: number, clouds?: number): PlantState {
  const control = { strategy: 4, setpoint: 0, mayChargeFromGrid: false }
  const begin = dayOf(at) * 86_400_000
  return { ...advancePlant(newPlant(begin), at, { seed, control, clouds }), soc: 0.5 }
}

/**
 * Simulates the plant until `at`. Everything follows from the seed, the time and the registers: sun and clouds, the household's
 * day, the battery's answer, and the grid for the rest. In steps of at most a minute by default, so that a long pause does not run the
 * battery past its ends.
 */
export function advancePlant(
  state: PlantState,
  at: number,
  { stepMs = 60_000, ...course }: PlantCourse & { stepMs?: number },
): PlantState {
  let next = state
  while (next.at < at) next = step(next, Math.min(at, next.at + stepMs), course)
  return next.at === state.at ? step(next, next.at, course) : next
}

/** What a plant follows. */
interface PlantCourse {
  readonly seed: number
  readonly control: BatteryControl
  readonly clouds?: number | undefined
}

function step(state: PlantState, at: number, { seed, control, clouds }: PlantCourse): PlantState {
  const sun = solarAt(at, seed, clouds)
  const load = loadAt(at, seed)
  const missing = load - sun.solarA - sun.solarB
  const battery = batteryPower(state.soc, missing, control)
  return settle(state, at, { ...sun, load, battery, grid: missing - battery })
}

/** Powers of a plant over a step, watts. */
type Powers = Pick<PlantState, 'solarA' | 'solarB' | 'load' | 'battery' | 'grid'>

/** Returns the plant after a step with these powers: contents, temperature and counters follow from them. */
export function settle(state: PlantState, at: number, powers: Powers): PlantState {
  const { solarA, solarB, load, battery, grid } = powers
  const hours = Math.max(0, at - state.at) / 3_600_000
  const drawn = battery > 0 ? battery / efficiency : battery * efficiency
  const soc = clamp(state.soc - (drawn * hours) / batteryCapacityWh, 0, 1)
  const temperature = state.temperature + (20 + Math.abs(battery) / 400 - state.temperature) * Math.min(1, hours)
  const energy = {
    solarA: state.energy.solarA + solarA * hours,
    solarB: state.energy.solarB + solarB * hours,
    load: state.energy.load + Math.max(0, load) * hours,
    gridImport: state.energy.gridImport + Math.max(0, grid) * hours,
    gridExport: state.energy.gridExport + Math.max(0, -grid) * hours,
    charged: state.energy.charged + Math.max(0, -battery) * hours,
    discharged: state.energy.discharged + Math.max(0, battery) * hours,
  }
  const midnight = dayOf(at) === dayOf(state.at) ? state.midnight : state.energy
  return { ...powers, at, soc, temperature, energy, midnight }
}

/** Share of the sun that clouds may take, unless something else is wanted. */
export const usualClouds = 0.65

/** Power of both strings, watts. `clouds` is the share of the sun that they may take, 0 to 1. */
export function solarAt(at: number, seed: number, clouds: number = usualClouds): Pick<PlantState, 'solarA' | 'solarB'> {
  const sun = sunAt(at) * (1 - clouds + clouds * smoothNoise(seed, at / 240_000))
  return {
    solarA: Math.round(4400 * sun),
    solarB: Math.round(3600 * sun * (0.9 + 0.1 * smoothNoise(seed + 1, at / 600_000))),
  }
}

const dayOf = (at: number): number => Math.floor(at / 86_400_000)

/** Height of the sun as a share of noon; 0 between 20:00 and 06:00. */
function sunAt(at: number): number {
  const hour = (at / 3_600_000) % 24
  return hour <= 6 || hour >= 20 ? 0 : Math.sin(((hour - 6) / 14) * Math.PI) ** 1.5
}

/** Power that the house takes, watts. */
export function loadAt(at: number, seed: number): number {
  const hour = (at / 3_600_000) % 24
  const bump = (middle: number, width: number) => Math.exp(-(((hour - middle) / width) ** 2))
  const steady = 280 + 900 * bump(7.5, 1.2) + 700 * bump(12.5, 1.5) + 1500 * bump(19.5, 2)
  const kettle = smoothNoise(seed + 2, at / 180_000) > 0.9 ? 1800 : 0
  // Small appliances that switch on and off, so that two readings some seconds apart differ.
  const small = 40 * smoothNoise(seed + 4, at / 5000)
  return steady * (0.8 + 0.4 * smoothNoise(seed + 3, at / 90_000)) + kettle + small
}

/**
 * Power of a battery, watts; positive discharges.
 * @param missing what the house needs beyond the sun; negative for a surplus
 */
export function batteryPower(soc: number, missing: number, control: BatteryControl): number {
  const wanted = isExternal(control) ? externalPower(missing, control) : missing
  const max = soc <= minSoc ? 0 : maxBatteryPower
  // The last percents are charged slowly.
  const min = soc >= 1 ? 0 : -maxBatteryPower * clamp((1 - soc) / 0.03, 0.05, 1)
  return clamp(wanted, min, max)
}

function externalPower(missing: number, { setpoint, mayChargeFromGrid }: BatteryControl): number {
  if (setpoint >= 0 || mayChargeFromGrid) return setpoint
  return Math.max(setpoint, Math.min(0, missing))
}

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))

/** The objects that show what the plant does, by metric name. */
export function plantRegisters(plant: PlantState): Record<string, number> {
  const { solarA, solarB, load, battery, grid } = plant
  const ac = solarA + solarB + battery
  return {
    grid_power: grid,
    household_load_power: load,
    solar_a_power: solarA,
    solar_b_power: solarB,
    solar_a_voltage: solarA > 0 ? 420 : 12,
    dc_conv_dc_conv_struct_0_p_dc: solarA,
    dc_conv_dc_conv_struct_1_p_dc: solarB,
    ac_power: ac,
    heat_sink_temperature: 25 + Math.abs(ac) / 300,
    ...batteryRegisters(plant),
    ...energyRegisters(plant),
  }
}

function batteryRegisters({ soc, battery, temperature, energy }: PlantState): Record<string, number> {
  const voltage = 180 + 40 * soc
  return {
    battery_soc: soc,
    battery_power: battery,
    battery_voltage: voltage,
    battery_current: battery / voltage,
    battery_temperature: temperature,
    battery_stored_energy: energy.charged,
    battery_used_energy: energy.discharged,
    battery_charged_amp_hours: energy.charged / 200,
    battery_discharged_amp_hours: energy.discharged / 200,
    battery_soh: 0.97,
    battery_ah_capacity: batteryCapacityWh / 200,
  }
}

/** Counters of the day and longer ones, which began before the simulation. */
function energyRegisters({ energy, midnight }: PlantState): Record<string, number> {
  const today = countersOf(energy, midnight)
  const spans = Object.entries(countersOf(energy, noEnergy)).flatMap(([name, value]) => [
    [`energy_e_${name}_day`, today[name] ?? 0],
    [`energy_e_${name}_month`, value + (name === 'grid_feed' ? -200_000 : 200_000)],
    [`energy_e_${name}_year`, value + (name === 'grid_feed' ? -2_400_000 : 2_400_000)],
  ])
  return {
    ...Object.fromEntries(spans),
    energy_e_load_total: 9_000_000 + energy.load,
    energy_grid_load_total: 3_000_000 + energy.gridImport,
    energy_e_grid_feed_total: -(4_000_000 + energy.gridExport),
    energy_total: 11_000_000 + energy.solarA + energy.solarB,
    energy_e_dc_total_0: 6_100_000 + energy.solarA,
    energy_e_dc_total_1: 4_900_000 + energy.solarB,
    energy_e_dc_day_0: energy.solarA - midnight.solarA,
    energy_e_dc_day_1: energy.solarB - midnight.solarB,
  }
}

function countersOf(energy: EnergyCounters, since: EnergyCounters): Record<string, number> {
  const grown = (name: keyof EnergyCounters) => energy[name] - since[name]
  return {
    ac: grown('solarA') + grown('solarB') + grown('discharged') - grown('charged'),
    load: grown('load'),
    grid_load: grown('gridImport'),
    // The inverter counts what goes out below zero.
    grid_feed: -grown('gridExport'),
    ext: 0,
  }
}
