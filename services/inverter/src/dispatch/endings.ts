import { Problem } from '../problems.ts'
import type { Ending } from './dispatch-machine.ts'
import { StaleReadings } from './measure.ts'
import type { StopReason } from './schema.ts'

/** Interrupts the work on an operation that has to end, with the reason. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly stopReason: StopReason

  constructor(stopReason: StopReason) {
    super(`the operation was interrupted: ${stopReason}`)
    this.stopReason = stopReason
  }
}

const reasons: Partial<Record<Problem['code'], StopReason>> = {
  write_not_allowed: 'write_not_allowed',
  write_disabled: 'write_not_allowed',
  dispatch_store_unavailable: 'store_unavailable',
  dispatch_snapshot_stale: 'snapshot_stale',
}

/** The ending that an error of an operation means. */
export function endingFor(error: unknown): Ending {
  if (error instanceof Interrupted) return { stopReason: error.stopReason, faultCode: null }
  if (error instanceof StaleReadings) {
    const { cause } = error
    return { stopReason: 'telemetry_stale', faultCode: cause instanceof Problem ? cause.code : null }
  }
  if (error instanceof Problem) return { stopReason: reasons[error.code] ?? 'device_error', faultCode: error.code }
  return { stopReason: 'device_error', faultCode: 'internal_error' }
}

/** Returns the error that the caller of a start gets for an error that ended it. */
export function errorForCaller(error: unknown): unknown {
  if (error instanceof Interrupted) {
    return error.stopReason === 'shutdown'
      ? new Problem('shutting_down', 'The service is stopping; the device was handed back')
      : new Problem('dispatch_operation_conflict', 'The operation was stopped while it was being started')
  }
  if (!(error instanceof StaleReadings)) return error
  return error.cause instanceof Problem ? error.cause : new Problem('device_timeout', error.message)
}
