import { Gauge, Registry } from 'prom-client'
import type { PlantNow } from '../plant/schema.ts'

/** Creates the metrics of the plant, anew for each scrape: a sum of which a part is missing is absent, not smaller. */
export function plantMetrics(plant: PlantNow | undefined): Registry {
  const registry = new Registry()
  if (plant === undefined) return registry
  const add = (name: string, help: string, value: number | null) => {
    if (value !== null) new Gauge({ name: `vendor_plant_${name}`, help, registers: [registry] }).set(value)
  }
  const { pv, battery, grid, house, soc_percent: soc, stored_wh: stored, inverters, away } = plant
  add('pv_power_watts', 'Solar power of all inverters of the plant', pv.watts)
  add('battery_power_watts', 'Power of all batteries; discharge is positive', battery.watts)
  add('grid_power_watts', 'Power of the grid connection; import is positive', grid.watts)
  add('house_power_watts', 'Power that the house takes', house.watts)
  add('battery_soc_ratio', 'State of charge of all batteries together', soc === null ? null : soc / 100)
  add('battery_stored_watthours', 'What all batteries hold', stored)
  add('inverters', 'Inverters of the plant', inverters.length)
  add('inverters_away', 'Inverters of the plant that give no values', away.length)
  return registry
}
