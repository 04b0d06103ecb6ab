import type { EnergyName } from '../../history/quantities.ts'
import { plantId, type PlantNow } from '../../plant/schema.ts'
import type { Component, Components } from '../entities/component.ts'
import { numberText, unknownState } from '../entities/quantity.ts'
import type { Topics } from '../entities/topics.ts'
import { plantEnergies } from './energy-totals.ts'

const watts = { unit_of_measurement: 'W', device_class: 'power', state_class: 'measurement' }

const wattHours = { unit_of_measurement: 'Wh', device_class: 'energy', state_class: 'total_increasing' }

const energyNames: Readonly<Record<EnergyName, string>> = {
  pv_wh: 'Solar energy',
  load_wh: 'House energy',
  import_wh: 'Energy from the grid',
  export_wh: 'Energy to the grid',
  charge_wh: 'Energy into the batteries',
  discharge_wh: 'Energy out of the batteries',
}

const powers = {
  pv_power: 'Solar power',
  battery_power: 'Battery power',
  grid_power: 'Grid power',
  house_power: 'House power',
} as const

/** Returns the sensors of the plant: powers, state of charge, and the energies of the Energy dashboard. */
export function plantEntities(topics: Topics): Components {
  const sensor = (name: string, title: string, quantity: object): [string, Component] => [
    name,
    {
      platform: 'sensor',
      unique_id: topics.id(plantId, name),
      state_topic: topics.state(plantId, name),
      name: title,
      ...quantity,
    },
  ]
  const soc = { unit_of_measurement: '%', device_class: 'battery', state_class: 'measurement' }
  return Object.fromEntries([
    ...Object.entries(powers).map(([name, title]) => sensor(name, title, watts)),
    sensor('battery_soc', 'State of charge', soc),
    sensor('inverters_away', 'Inverters away', { state_class: 'measurement', entity_category: 'diagnostic' }),
    ...plantEnergies.map((name) => sensor(name, energyNames[name], wattHours)),
  ])
}

/** Returns the states of the plant. A sum of which a part is missing is unknown; an energy waits where it is. */
export function plantStates(now: PlantNow, energyOf: (name: EnergyName) => number | undefined): Map<string, string> {
  const text = (value: number | null) => (value === null ? unknownState : numberText(value))
  const states = new Map([
    ['pv_power', text(now.pv.watts)],
    ['battery_power', text(now.battery.watts)],
    ['grid_power', text(now.grid.watts)],
    ['house_power', text(now.house.watts)],
    ['battery_soc', text(now.soc_percent)],
    ['inverters_away', String(now.away.length)],
  ])
  for (const name of plantEnergies) {
    const energy = energyOf(name)
    if (energy !== undefined) states.set(name, numberText(Math.round(energy)))
  }
  return states
}
