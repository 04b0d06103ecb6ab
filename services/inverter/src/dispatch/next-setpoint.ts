import type { DispatchMode } from './schema.ts'

/** Import left to the grid while the battery follows the load, watts. */
export const gridReserveW = 100
/** Changes smaller than this are not written, watts. */
export const deadbandW = 200
/** Minimum time between two writes of the setpoint, milliseconds; reductions while exporting are written at once. */
export const writeIntervalMs = 5000

/** Setpoints count discharge as positive here, whatever the register does. */
export interface SetpointInput {
  readonly mode: DispatchMode
  readonly maxPowerW: number
  /** Last setpoint sent to the device, watts. */
  readonly commandedW: number
  /** Import positive, watts. */
  readonly gridW: number
  /** Power of the battery now, discharge positive, watts. */
  readonly measuredW: number
  /** Largest power from the grid, watts; null for no limit. */
  readonly limitW: number | null
  /** Operations that share what is missing, at least one. */
  readonly sharing: number
}

/** Calculates the setpoint in watts, discharge positive (docs/reference/inverter-api.md, "Control loop"). */
export function nextSetpoint(input: SetpointInput): number {
  const { mode, maxPowerW, commandedW, gridW, sharing } = input
  if (mode === 'hold') return 0
  if (mode === 'charge_from_grid') return 0 - Math.min(maxPowerW, chargeBelowLimit(input))
  // Below zero while the battery still charges: the grid then feeds it, and that import is no load to follow.
  const base = Math.min(commandedW, maxPowerW)
  const error = gridW - gridReserveW
  const isSettled = gridW > 0 && Math.abs(error) <= deadbandW
  // Several that follow the same load each take their part of it; what is exported is removed by each.
  const step = error > 0 ? error / sharing : error
  return Math.min(Math.max(isSettled ? base : base + step, 0), maxPowerW)
}

/** Charging power below which a charge that rests does not begin again, and one that runs ends, watts. */
const least = { begin: deadbandW, run: 50 } as const

/** The charging power that keeps the grid connection below its limit, watts. */
function chargeBelowLimit({ commandedW, measuredW, gridW, limitW, sharing }: SetpointInput): number {
  if (limitW === null) return Infinity
  const left = limitW - gridReserveW - gridW
  const allowed = left > 0 ? left / sharing - measuredW : left - measuredW
  return allowed < (commandedW < 0 ? least.run : least.begin) ? 0 : allowed
}

/** Direction of the energy flow at a setpoint. */
export function directionOf(setpointW: number): 'none' | 'charge' | 'discharge' {
  if (setpointW === 0) return 'none'
  return setpointW > 0 ? 'discharge' : 'charge'
}

/** Input of `shouldWrite`. */
export interface WriteInput {
  readonly commandedW: number
  readonly wantedW: number
  readonly gridW: number
  /** Largest power from the grid, watts; null for no limit. */
  readonly limitW: number | null
  readonly sinceWriteMs: number
  /** Interval at which a device that forgets its setpoint receives it again; null for one that keeps it. */
  readonly refreshMs: number | null
}

/**
 * Returns true if a setpoint is sent now: a change of direction, a cut while exporting, and a cut of a charge above the limit of
 * the grid connection at once, anything else beyond deadband and interval.
 */
export function shouldWrite({ commandedW, wantedW, gridW, limitW, sinceWriteMs, refreshMs }: WriteInput): boolean {
  if (refreshMs !== null && sinceWriteMs >= refreshMs) return true
  if (wantedW === commandedW) return false
  if (directionOf(wantedW) !== directionOf(commandedW)) return true
  if (gridW <= 0 && wantedW < commandedW) return true
  if (limitW !== null && gridW > limitW && wantedW > commandedW) return true
  return Math.abs(wantedW - commandedW) >= deadbandW && sinceWriteMs >= writeIntervalMs
}

/** Sign conventions of a device; see the capabilities. */
export interface SignConventions {
  readonly batteryDischargePositive: boolean
  readonly gridImportPositive: boolean
}

/** Converts a setpoint to the sign of the register, and a battery power of the device to discharge positive. */
export const batterySign = (watts: number, { batteryDischargePositive }: SignConventions): number =>
  batteryDischargePositive || watts === 0 ? watts : -watts

/** Converts the grid power of the device to import positive. */
export const gridSign = (watts: number, { gridImportPositive }: SignConventions): number =>
  gridImportPositive || watts === 0 ? watts : -watts
