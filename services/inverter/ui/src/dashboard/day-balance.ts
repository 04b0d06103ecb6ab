/** Energy of one day in watt-hours, all counted upwards. */
export interface DayBalance {
  produced: number | undefined
  used: number | undefined
  imported: number | undefined
  exported: number | undefined
  /** Share of the use that did not come from the grid, 0 to 1. */
  selfSufficiency: number | undefined
}

/** The day's balance out of the inverter's counters; it counts what is fed in downwards. */
export function dayOf(read: (name: string) => number | undefined): DayBalance {
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
    selfSufficiency:
      used === undefined || imported === undefined || used <= 0 ? undefined : Math.max(0, 1 - imported / used),
  }
}
