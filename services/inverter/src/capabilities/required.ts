import type { CapabilityName } from './schema.ts'

/** The modes a dispatch can run in. */
export type DispatchMode = 'charge_from_grid' | 'discharge_to_load' | 'hold'

const always = ['write_path_convention', 'battery_power_sign_convention'] as const

/**
 * What must be verified for a mode. `hold` needs the battery sign because its end writes a signed setpoint back; only load
 * following reads the grid meter.
 */
export function requiredCapabilities(mode: DispatchMode): readonly CapabilityName[] {
  return mode === 'discharge_to_load' ? [...always, 'grid_power_sign_convention'] : always
}

/** Whether a change of this capability would touch a running operation of the mode. Volatility decides on repeats in all. */
export function isAffected(mode: DispatchMode, changed: readonly CapabilityName[]): boolean {
  const used = new Set<CapabilityName>([...requiredCapabilities(mode), 'setpoint_volatility'])
  return changed.some((name) => used.has(name))
}
