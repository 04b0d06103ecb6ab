/** Metrics of the energy flow; the server reads them while a page is open. */
export const flowMetrics = [
  'battery_soc',
  'grid_power',
  'solar_a_power',
  'solar_b_power',
  'household_load_power',
  'battery_power',
] as const

const numbered = (prefix: string) => Array.from({ length: 7 }, (_, index) => `${prefix}${index}`)

/** Serial numbers of the modules of the first and second battery tower; an empty one is an empty slot. */
export const moduleSerials = [numbered('battery_module_sn_'), numbered('battery_placeholder_0_module_sn_')] as const

const cardMetrics = [
  'inverter_state',
  'battery_temperature',
  'battery_voltage',
  'battery_current',
  'battery_cycles',
  'battery_status2',
  'battery_soc_target',
  'power_mng_bat_next_calib_date',
  'heat_sink_temperature',
  'grid_frequency',
] as const

/** Today's energy counters. */
export const dayMetrics = [
  'energy_e_dc_day_0',
  'energy_e_dc_day_1',
  'energy_e_load_day',
  'energy_e_grid_feed_day',
  'energy_e_grid_load_day',
  'energy_e_ext_day',
] as const

/** The readings of one page visit, in portions of at most the 32 names one request may carry. */
export const watchedMetrics: readonly (readonly string[])[] = [
  [...flowMetrics, ...cardMetrics, ...dayMetrics, ...moduleSerials[0]],
  ['battery_placeholder_0_soc', 'battery_placeholder_0_temperature', ...moduleSerials[1]],
]
