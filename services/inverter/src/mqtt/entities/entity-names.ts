import type { CatalogObject } from '../../catalog/catalog.ts'

/** Names that people know; all other objects are named after the vendor's words. */
const names: Readonly<Record<string, string>> = {
  ac_power: 'AC power',
  battery_ah_capacity: 'Battery charge capacity',
  battery_charged_amp_hours: 'Battery charge in',
  battery_current: 'Battery current',
  battery_cycles: 'Battery cycles',
  battery_discharged_amp_hours: 'Battery charge out',
  battery_power: 'Battery power',
  battery_soc: 'Battery state of charge',
  battery_soc_target: 'Battery target state of charge',
  battery_soh: 'Battery state of health',
  battery_status2: 'Battery status 2',
  battery_stored_energy: 'Battery energy charged',
  battery_temperature: 'Battery temperature',
  battery_used_energy: 'Battery energy discharged',
  battery_voltage: 'Battery voltage',
  com_service: 'Service',
  dc_conv_dc_conv_struct_0_p_dc: 'Solar generator A power, unfiltered',
  dc_conv_dc_conv_struct_1_p_dc: 'Solar generator B power, unfiltered',
  grid_frequency: 'Grid frequency',
  grid_power: 'Grid power',
  heat_sink_temperature: 'Heat sink temperature',
  household_load_power: 'Household power',
  inverter_state: 'Inverter state',
  power_mng_bat_calib_reqularity: 'Battery calibration interval',
  power_mng_bat_next_calib_date: 'Next battery calibration',
  power_mng_battery_power_extern: 'External battery power',
  power_mng_soc_strategy: 'State of charge strategy',
  power_mng_soc_target_set: 'State of charge target, set',
  power_mng_use_grid_power_enable: 'Charging from the grid',
  solar_a_power: 'Solar generator A power',
  solar_b_power: 'Solar generator B power',
}

const periods: Readonly<Record<string, string>> = {
  day: 'today',
  month: 'this month',
  year: 'this year',
  total: 'in total',
}

const meters: Readonly<Record<string, string>> = {
  e_ac: 'AC energy',
  e_dc_0: 'Solar generator A energy',
  e_dc_1: 'Solar generator B energy',
  e_ext: 'External energy',
  e_grid_feed: 'Energy fed into the grid',
  e_grid_load: 'Energy from the grid',
  e_load: 'Household energy',
}

/** An energy counter in the vendor's words: `energy.e_dc_day[0]`, and with `_sum` that of the whole plant. */
const counter = /^energy\.(e_\w+?)_(day|month|year|total)(_sum)?(?:\[(\d)\])?$/

/** Returns the name of an object as Home Assistant shows it, in plain words. */
export function entityName({ name, vendorName }: CatalogObject): string {
  const known = names[name]
  if (known !== undefined) return known
  const [, meter = '', period = '', sum, index] = counter.exec(vendorName) ?? []
  const energy = meters[index === undefined ? meter : `${meter}_${index}`]
  if (energy !== undefined) return `${energy} ${periods[period]}${sum === undefined ? '' : ', whole plant'}`
  return humanize(vendorName)
}

/** Returns words for a name of code: `dc_conv.last_rescan` is "Dc conv last rescan", and places count from 0. */
export function humanize(text: string): string {
  const words = text
    .replaceAll(/\[(\d+)\]/g, ' $1 ')
    .replaceAll(/[._\s]+/g, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
