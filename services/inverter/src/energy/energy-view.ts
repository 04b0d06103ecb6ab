import type { Capability } from '../capabilities/schema.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { ActiveOperation } from '../dispatch/dispatch.ts'
import { batterySign, directionOf, gridSign } from '../dispatch/next-setpoint.ts'
import { openGate, type DispatchDevice } from '../dispatch/gate.ts'
import type { Dispatch, StopReason } from '../dispatch/schema.ts'
import { invalid, Problem } from '../problems.ts'
import {
  targetWindow,
  type Energy,
  type EnergyAction,
  type EnergyCommand,
  type EnergyDevice,
  type EnergyMode,
  type EnergyStopReason,
  type Unavailable,
} from './schema.ts'

/** Readings that pages show beside the commands. */
export type Readings = Energy['readings']

/** A value from the cache; null when there is none. */
type Reading = Readonly<Readings['battery_soc_percent']>

const unread: Reading = { value: null, age_seconds: null, stale: true }

/** Reads the energy flow with the signs of the device, from the cache where it is young enough. */
export async function readEnergy(runtime: DeviceRuntime | undefined, catalog: Catalog): Promise<Readings> {
  const read = async (...metrics: string[]) => (runtime === undefined ? unread : sum(runtime, metrics, catalog))
  const soc = await read('battery_soc')
  return {
    battery_soc_percent: soc.value === null ? soc : { ...soc, value: Number((soc.value * 100).toFixed(1)) },
    grid_power_w: await read('grid_power'),
    pv_power_w: await read('solar_a_power', 'solar_b_power'),
    house_load_w: await read('household_load_power'),
    battery_power_w: await read('battery_power'),
  }
}

async function sum({ reader }: DeviceRuntime, metrics: readonly string[], catalog: Catalog): Promise<Reading> {
  let total: Reading = { value: 0, age_seconds: 0, stale: false }
  for (const name of metrics) {
    const object = catalog.byName(name)
    if (object === undefined) return unread
    try {
      const { cached, staleReason } = await reader.read(object)
      const age = Math.round(reader.cache.age(cached)) / 1000
      total = {
        value: (total.value ?? 0) + Number(cached.value),
        age_seconds: Math.max(total.age_seconds ?? 0, age),
        stale: total.stale || staleReason !== null,
      }
    } catch {
      return unread
    }
  }
  return total
}

/** Sources of a device's state. */
export interface EnergySources {
  readonly device: DispatchDevice
  readonly mode: EnergyMode
  /** Undefined while its record cannot be read. */
  readonly dispatch: Dispatch | undefined
  readonly active: ActiveOperation | undefined
  readonly capabilities: readonly Capability[]
  /** Limit of the grid connection, watts; null for none. */
  readonly limitW: number | null
  readonly readings: Readings
  /** Write access is on and all registers are approved. */
  readonly mayWrite: boolean
}

/** Modes of dispatch that carry out the actions. */
export const dispatchModes = { charge: 'charge_from_grid', discharge: 'discharge_to_load', hold: 'hold' } as const

/** Actions that the modes of dispatch carry out. */
export const actions = { charge_from_grid: 'charge', discharge_to_load: 'discharge', hold: 'hold' } as const

/** Stop reasons of the Energy Manager for those of dispatch. */
export const stopReasons: Record<StopReason, EnergyStopReason> = {
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

/** Returns the state in the shape of the API. */
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
    action: active?.origin === 'energy' ? actions[active.mode] : null,
    target_soc_percent: dispatch?.target_soc_percent ?? null,
    power_limit_w: dispatch?.max_power_w ?? null,
    power_limit_clamped: dispatch?.max_power_w_clamped ?? false,
    commanded_power_w: dispatch?.commanded_power_w ?? 0,
    commanded_direction: dispatch?.commanded_direction ?? 'none',
    measured_power_w: measuredW === null ? null : Math.abs(measuredW),
    measured_direction: measuredW === null ? null : directionOf(measuredW),
    deviation: dispatch?.deviation ?? null,
    until: dispatch?.valid_until ?? null,
    stop_reason: dispatch?.stop_reason == null ? null : stopReasons[dispatch.stop_reason],
    time_limited: active !== undefined && active.until < active.requestedUntil,
    target_soc_window: targetWindow,
    readings,
    actions: (['charge', 'discharge', 'hold', 'auto'] as const).map((action) => {
      const reason = reasonAgainst(action, sources)
      return { action, available: reason === null, reason }
    }),
  }
}

/** Returns the readings with import and discharge positive. */
function readingsOf({ readings, capabilities }: EnergySources): Readings {
  const evidence = (field: 'battery_discharge_positive' | 'grid_import_positive') =>
    capabilities.every((record) => record[field] !== false)
  const signs = {
    batteryDischargePositive: evidence('battery_discharge_positive'),
    gridImportPositive: evidence('grid_import_positive'),
  }
  const signed = (reading: Reading, sign: typeof gridSign): Reading =>
    reading.value === null ? reading : { ...reading, value: sign(reading.value, signs) }
  return {
    ...readings,
    grid_power_w: signed(readings.grid_power_w, gridSign),
    battery_power_w: signed(readings.battery_power_w, batterySign),
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
  if (openGate(dispatchModes[action], sources) === undefined) return 'hardware_not_verified'
  const phase = sources.dispatch?.phase
  return phase === undefined || phase === 'restoring' || phase === 'fault' ? 'restore_required' : null
}

/** Returns for each action whether its gate is open, and by what. */
export function gatesOf(sources: Pick<EnergySources, 'device' | 'capabilities' | 'limitW'>): EnergyDevice['gates'] {
  const gate = (action: keyof typeof dispatchModes) =>
    openGate(dispatchModes[action], sources)?.openedBy ?? ('closed' as const)
  return { charge: gate('charge'), discharge: gate('discharge'), hold: gate('hold') }
}

/** Facts that a command is checked against. */
interface CommandContext {
  /** Endpoint that received the command. */
  readonly via: 'api' | 'admin'
  readonly mode: EnergyMode
  readonly dispatch: Dispatch
  readonly isWriteAccessOn: boolean
  /** Registers the administrator did not approve. */
  readonly unapproved: readonly string[]
}

/** Throws the first thing that is in the way of a command, in a fixed order; what dispatch refuses comes after. */
export function checkCommand(command: EnergyCommand, context: CommandContext): void {
  const { via, mode, dispatch, isWriteAccessOn, unapproved } = context
  if (dispatch.state === 'fault')
    throw new Problem('dispatch_store_unavailable', 'The dispatch record cannot be stored')
  if (mode === 'off') throw new Problem('energy_manager_off', 'The Energy Manager of this device is off')
  if (via === 'api' && mode === 'manual')
    throw new Problem(
      'energy_manager_not_external',
      'The mode is manual; switch it to external for commands by the API',
    )
  if (via === 'admin' && mode === 'external')
    throw new Problem('energy_manager_external', 'The mode is external; switch it to manual for commands by hand')
  if (!isWriteAccessOn) throw new Problem('energy_write_support_required', 'Write access is off; switch it on first')
  // Handing the device back is always possible: what was changed may be changed back.
  if (unapproved.length > 0 && command.action !== 'auto')
    throw new Problem('energy_action_unavailable', `Not approved for writing: ${unapproved.join(', ')}`)
  checkMembers(command)
}

function checkMembers({ action, target_soc_percent: target, max_power_w: power }: EnergyCommand): void {
  if (action === 'hold' || action === 'auto') {
    if (target !== undefined) throw invalid('target_soc_percent', `is not accepted for ${action}`)
    if (power !== undefined) throw invalid('max_power_w', `is not accepted for ${action}`)
    return
  }
  if (target === undefined) throw invalid('target_soc_percent', `is required for ${action}`)
  const { min, max } = targetWindow
  if (target < min || target > max)
    throw invalid('target_soc_percent', `must be from ${min} to ${max}`, 'value_out_of_range')
}
