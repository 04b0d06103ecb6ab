import { unmeasured } from './following.ts'
import { directionOf } from './next-setpoint.ts'
import { isRestoreRequired, operationOf, stateOf, type DispatchRecord } from './record.ts'
import type { Dispatch } from './schema.ts'

const controlStates = {
  idle: 'restored',
  precheck: 'restored',
  applying: 'controlled',
  replacing: 'controlled',
  controlling: 'controlled',
  restoring: 'unknown',
  fault: 'unknown',
} as const

/**
 * A record as the API shows it. `isUnsaved` marks a device that was handed back while the disk refused to say so: it stays
 * in `fault` until the record is stored.
 */
export function dispatchView(deviceId: string, record: DispatchRecord, isUnsaved: boolean): Dispatch {
  const operation = operationOf(record)
  const isStuck = record.phase === 'idle' && isUnsaved
  const commandedW = 'commandedW' in record ? record.commandedW : 0
  const isHold = operation?.mode === 'hold'
  return {
    device_id: deviceId,
    operation_id: operation?.id ?? null,
    mode: operation?.mode ?? null,
    state: isStuck ? 'fault' : stateOf(record),
    phase: isStuck ? 'fault' : record.phase,
    control_state: controlStates[record.phase],
    restore_required: isRestoreRequired(record),
    target_soc_percent: operation?.targetSocPercent ?? null,
    max_power_w: operation === undefined || isHold ? null : operation.maxPowerW,
    max_power_w_requested: operation?.requestedPowerW ?? null,
    max_power_w_clamped: operation !== undefined && !isHold && operation.maxPowerW !== operation.requestedPowerW,
    valid_until: operation === undefined ? null : new Date(operation.until).toISOString(),
    commanded_direction: directionOf(commandedW),
    commanded_power_w: Math.abs(commandedW),
    ...unmeasured,
    stop_reason: 'stopReason' in record ? record.stopReason : null,
    fault_code: isStuck ? 'dispatch_store_unavailable' : 'faultCode' in record ? record.faultCode : null,
    replaced: operation?.isReplacement ?? false,
    restore_attempts: 'attempts' in record ? record.attempts : 0,
    next_restore_at: record.phase === 'fault' ? new Date(record.nextRestoreAt).toISOString() : null,
  }
}
