import { batteryCapacityWh, type EnergyCounters, type PlantState } from './plant-physics.ts'

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
    battery_ah_capacity: batteryCapacityWh / 384,
  }
}

/** Counters of the day and longer ones, which began before the simulation. */
function energyRegisters({ energy, midnight }: PlantState): Record<string, number> {
  const today = countersOf(energy, midnight)
  const spans = Object.entries(countersOf(energy, nothing)).flatMap(([name, value]) => [
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
    energy_e_dc_day_0: energy.solarA - midnight.solarA,
    energy_e_dc_day_1: energy.solarB - midnight.solarB,
  }
}

const nothing: EnergyCounters = {
  solarA: 0,
  solarB: 0,
  load: 0,
  gridImport: 0,
  gridExport: 0,
  charged: 0,
  discharged: 0,
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
