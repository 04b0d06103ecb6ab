import type { Capability } from '../capabilities/schema.ts'
import type { ActiveOperation } from '../dispatch/dispatch.ts'
import { batterySign, directionOf, gridSign } from '../dispatch/next-setpoint.ts'
import type { DispatchDevice } from '../dispatch/ports.ts'
import type { Dispatch, DispatchMode, StopReason } from '../dispatch/schema.ts'
import { openGate } from '../dispatch/submission.ts'
import {
  targetWindow,
  type Energy,
  type EnergyAction,
  type EnergyDevice,
  type EnergyMode,
  type EnergyStopReason,
  type Unavailable,
} from './schema.ts'

/** One value of the cache, as the device counts. */
export interface Reading {
  readonly value: number | null
  readonly age_seconds: number | null
  readonly stale: boolean
}

/** Readings that pages show beside the commands: percent and watts. A missing one was never read. */
export type Readings = Partial<
  Record<'battery_soc' | 'grid_power' | 'pv_power' | 'household_load' | 'battery_power', Reading>
>

/** Everything the state of a device is made of. */
export interface EnergySources {
  readonly device: DispatchDevice
  readonly mode: EnergyMode
  /** Undefined while its record cannot be read. */
  readonly dispatch: Dispatch | undefined
  readonly active: ActiveOperation | undefined
  readonly capabilities: readonly Capability[]
  readonly readings: Readings
  /** Write access is on and all registers are approved. */
  readonly mayWrite: boolean
}

const modes = { charge: 'charge_from_grid', discharge: 'discharge_to_load', hold: 'hold' } as const

/** The mode of dispatch that carries an action out. */
export const dispatchModeOf = (action: Exclude<EnergyAction, 'auto'>): DispatchMode => modes[action]

/** The action a mode of dispatch carries out. */
export const actionOf = (mode: DispatchMode): EnergyAction =>
  ({ charge_from_grid: 'charge', discharge_to_load: 'discharge', hold: 'hold' })[mode] as EnergyAction

const reasons: Record<StopReason, EnergyStopReason> = {
  target_reached: 'target_reached',
  ttl_expired: 'time_limit_reached',
  telemetry_stale: 'telemetry_unavailable',
  operator_cancelled: 'stopped_by_operator',
  snapshot_stale: 'device_state_unreadable',
  write_not_allowed: 'write_not_permitted',
  device_error: 'device_error',
  store_unavailable: 'service_unavailable',
  shutdown: 'service_shutdown',
  device_reconfigured: 'device_changed',
}

/** Returns the Energy Manager's stop reason for one of dispatch. */
export const stopReasonOf = (reason: StopReason): EnergyStopReason => reasons[reason]

const states: Record<Dispatch['state'], Energy['state']> = {
  idle: 'automatic',
  precheck: 'starting',
  applying: 'starting',
  replacing: 'starting',
  charging: 'charging',
  discharging: 'discharging',
  holding: 'holding',
  target_reached: 'stopping',
  restoring: 'stopping',
  fault: 'fault',
  fault_restore_pending: 'fault',
}

/** The state as the API shows it. */
export function energyView(sources: EnergySources): Energy {
  const { device, mode, dispatch, active } = sources
  const readings = readingsOf(sources)
  const measuredW = readings.battery_power_w.value
  return {
    device_id: device.id,
    mode,
    armed: mode !== 'off',
    accepts_commands_from: { off: 'none', manual: 'admin', external: 'api' }[mode] as Energy['accepts_commands_from'],
    state: dispatch === undefined ? 'fault' : states[dispatch.state],
    action: active?.origin === 'energy' ? actionOf(active.mode) : null,
    target_soc_percent: dispatch?.target_soc_percent ?? null,
    power_limit_w: dispatch?.max_power_w ?? null,
    power_limit_clamped: dispatch?.max_power_w_clamped ?? false,
    commanded_power_w: dispatch?.commanded_power_w ?? 0,
    commanded_direction: dispatch?.commanded_direction ?? 'none',
    measured_power_w: measuredW === null ? null : Math.abs(measuredW),
    measured_direction: measuredW === null ? null : directionOf(measuredW),
    deviation: dispatch?.deviation ?? null,
    until: dispatch?.valid_until ?? null,
    stop_reason: dispatch?.stop_reason == null ? null : stopReasonOf(dispatch.stop_reason),
    time_limited: active !== undefined && active.until < active.requestedUntil,
    target_soc_window: targetWindow,
    readings,
    actions: (['charge', 'discharge', 'hold', 'auto'] as const).map((action) => {
      const reason = reasonAgainst(action, sources)
      return { action, available: reason === null, reason }
    }),
  }
}

const unread: Reading = { value: null, age_seconds: null, stale: true }

function readingsOf({ readings, capabilities }: EnergySources): Energy['readings'] {
  const evidence = (field: 'battery_discharge_positive' | 'grid_import_positive') =>
    capabilities.every((record) => record[field] !== false)
  const signs = {
    batteryDischargePositive: evidence('battery_discharge_positive'),
    gridImportPositive: evidence('grid_import_positive'),
  }
  const signed = (reading: Reading | undefined, sign: typeof gridSign): Reading =>
    reading === undefined || reading.value === null
      ? (reading ?? unread)
      : { ...reading, value: sign(reading.value, signs) }
  return {
    battery_soc_percent: readings.battery_soc ?? unread,
    grid_power_w: signed(readings.grid_power, gridSign),
    pv_power_w: readings.pv_power ?? unread,
    house_load_w: readings.household_load ?? unread,
    battery_power_w: signed(readings.battery_power, batterySign),
  }
}

/** Returns the reason why an action is not available now; null if it is. `auto` is available whatever else is missing. */
function reasonAgainst(action: EnergyAction, sources: EnergySources): Unavailable | null {
  if (sources.mode === 'off') return 'mode_off'
  if (action === 'auto') return null
  if (!sources.mayWrite) return 'write_not_permitted'
  const { maxChargePowerW: charge, maxDischargePowerW: discharge } = sources.device
  const limit = { charge, discharge, hold: charge ?? discharge }[action]
  if (limit === null) return 'limits_missing'
  if (openGate(dispatchModeOf(action), sources) === undefined) return 'hardware_not_verified'
  const phase = sources.dispatch?.phase
  return phase === undefined || phase === 'restoring' || phase === 'fault' ? 'restore_required' : null
}

/** Returns for each action whether its gate is open, and by what. */
export function gatesOf(sources: Pick<EnergySources, 'device' | 'capabilities'>): EnergyDevice['gates'] {
  const gate = (action: Exclude<EnergyAction, 'auto'>) =>
    openGate(dispatchModeOf(action), sources)?.openedBy ?? ('closed' as const)
  return { charge: gate('charge'), discharge: gate('discharge'), hold: gate('hold') }
}
