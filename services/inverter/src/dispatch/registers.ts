/** The four registers an operation changes, by their metric names. */
export const registers = {
  strategy: 'power_mng_soc_strategy',
  socTarget: 'power_mng_soc_target_set',
  gridCharge: 'power_mng_use_grid_power_enable',
  setpoint: 'power_mng_battery_power_extern',
} as const

export type Register = (typeof registers)[keyof typeof registers]

/** All four, in the order they are read. */
export const dispatchRegisters: readonly Register[] = Object.values(registers)

/** Returns true if a metric is one of the four. */
export const isDispatchRegister = (name: string): boolean => dispatchRegisters.some((register) => register === name)

/** Readings of an operation by metric name: state of charge as a ratio, powers in watts. */
export const readings = { soc: 'battery_soc', grid: 'grid_power', battery: 'battery_power' } as const
