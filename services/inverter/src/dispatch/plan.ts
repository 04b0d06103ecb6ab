import type { Capability } from '../capabilities/schema.ts'
import { applyOrder, type Operation, type Snapshot, type Step } from './record.ts'
import { registers, type Register } from './registers.ts'

/** Conventions of a device for commands, from its capabilities. */
export type Conventions = NonNullable<ReturnType<typeof conventionsOf>>

/** Reads the conventions; undefined while the strategy code is unknown, without which nothing may be written. */
export function conventionsOf(capabilities: readonly Capability[]) {
  const evidence = <Field extends keyof Capability>(name: Capability['name'], field: Field) =>
    capabilities.find((record) => record.name === name)?.[field] ?? null
  const strategyCode = evidence('write_path_convention', 'soc_strategy_external_code')
  if (strategyCode === null) return undefined
  const refreshSeconds =
    evidence('setpoint_volatility', 'volatile') === true
      ? evidence('setpoint_volatility', 'refresh_interval_seconds')
      : null
  return {
    /** Raw value of the strategy register that means external control. */
    strategyCode,
    socTargetUnit: evidence('write_path_convention', 'soc_target_unit') ?? 'ratio',
    batteryDischargePositive: evidence('battery_power_sign_convention', 'battery_discharge_positive') ?? true,
    gridImportPositive: evidence('grid_power_sign_convention', 'grid_import_positive') ?? true,
    /** Time after which the setpoint must be repeated, milliseconds; null when it is kept. */
    refreshMs: refreshSeconds === null ? null : refreshSeconds * 1000,
  }
}

/** The writes that start an operation, in order. The setpoint is decided when the plant was measured. */
export function applySteps(
  { mode, targetSocPercent }: Pick<Operation, 'mode' | 'targetSocPercent'>,
  snapshot: Snapshot,
  conventions: Conventions,
): Step[] {
  const target = targetSocPercent ?? 0
  const values: Record<Register, number | boolean | null> = {
    [registers.strategy]: conventions.strategyCode,
    [registers.socTarget]: conventions.socTargetUnit === 'percent' ? target : target / 100,
    [registers.gridCharge]: { charge_from_grid: true, discharge_to_load: snapshot.gridCharge, hold: false }[mode],
    [registers.setpoint]: null,
  }
  return applyOrder(mode).map((register) => planned(register, values[register]))
}

/** The writes that restore the device: zero power first, then the original values, the strategy last. */
export const restoreSteps = (snapshot: Snapshot): Step[] => [
  planned(registers.setpoint, 0),
  planned(registers.setpoint, snapshot.setpoint),
  planned(registers.gridCharge, snapshot.gridCharge),
  planned(registers.socTarget, snapshot.socTarget),
  planned(registers.strategy, snapshot.strategy),
]

const planned = (register: Register, value: Step['value']): Step => ({ register, value, status: 'planned' })
