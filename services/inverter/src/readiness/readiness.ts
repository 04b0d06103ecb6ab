import { toIsoString } from '@hearth/runtime'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { Problem } from '../problems.ts'
import type { DeviceReadiness, Readiness } from './schema.ts'
import { livenessState } from '../devices/liveness.ts'

/** State of a device's dispatch record. */
export interface DispatchReadiness {
  readonly corrupt: boolean
  readonly restorePending: boolean
  readonly recovered: boolean
}

export interface ReadinessDependencies {
  readonly devices: () => readonly DeviceRuntime[]
  readonly dispatch: (deviceId: string) => DispatchReadiness
  /** Metric name of an object. */
  readonly nameOf: (objectId: number) => string | undefined
  readonly isStopping: () => boolean
}

/** Readiness of the service, device by device. */
export type ReadinessReport = ReturnType<typeof createReadiness>

/**
 * Creates the readiness report. A device is ready when it answers and no dispatch record is corrupt, unrecovered or waits
 * to be restored.
 */
export function createReadiness(dependencies: ReadinessDependencies) {
  const device = (runtime: DeviceRuntime): DeviceReadiness => ({
    ...describe(runtime, dependencies.dispatch(runtime.deviceId)),
    unanswered_metrics: runtime.unanswered.list().flatMap(({ objectId }) => dependencies.nameOf(objectId) ?? []),
  })
  return {
    device,
    /** Throws `not_ready` with all devices when one of them is not in a ready state. */
    read(): Readiness {
      const devices = dependencies.devices().map(device)
      const waiting = devices.filter(({ ready }) => !ready).map(({ device_id: id, state }) => `${id} (${state})`)
      const refuse = (detail: string) => new Problem('not_ready', detail, { members: { ready: false, devices } })
      if (dependencies.isStopping()) throw refuse('The service is stopping')
      if (waiting.length > 0) throw refuse(`Not ready: ${waiting.join(', ')}`)
      return { ready: true, devices }
    },
  }
}

function describe(
  { deviceId, link, reader, liveness, periodic }: DeviceRuntime,
  dispatch: DispatchReadiness,
): Omit<DeviceReadiness, 'unanswered_metrics'> {
  const status = link.status()
  const signs = liveness.status()
  const state = livenessState(signs, status.state === 'maintenance')
  const isAlive = state === 'ok' || state === 'degraded'
  return {
    device_id: deviceId,
    ready: isAlive && dispatch.recovered && !dispatch.corrupt && !dispatch.restorePending,
    state,
    periodic_available: periodic === undefined ? null : periodic.status().available,
    periodic_setup_failures: periodic?.status().setupFailures ?? 0,
    foreign_access_suspected: status.foreignAccessSuspected,
    consecutive_failures: signs.consecutiveFailures,
    liveness_source: signs.livenessSource,
    last_success_at: toIsoString(signs.lastSuccessAt),
    last_heartbeat_at: toIsoString(signs.lastHeartbeatAt),
    queue_length: status.queueLength,
    transactions: signs.transactions,
    failures: signs.failures,
    cache_hits: reader.counts.hits,
    cache_misses: reader.counts.misses,
    dispatch_restore_pending: dispatch.restorePending,
    dispatch_record_corrupt: dispatch.corrupt,
  }
}
