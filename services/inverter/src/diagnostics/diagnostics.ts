import { momentOf } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import type { Endpoint } from '../devices/device-graph.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { apiValueOf, textOf } from '../metrics/value.ts'
import { Problem, unknownDevice } from '../problems.ts'
import type { FrameList, SlaveList, Transports } from './schema.ts'
import type { SlaveSearch } from './slaves.ts'

/** What happens on the wire, for those who look for a fault. */
export interface Diagnostics {
  objects(): VendorObjectView[]
  transports(): Transports
  slaves(deviceId: string): Promise<SlaveList>
  /** The last frames of a connection, newest last. */
  frames(endpointId: string, limit: number): FrameList
  /** The whole recording as JSON lines, to be replayed by the simulator. */
  capture(endpointId: string): string
}

interface VendorObjectView {
  name: string
  object_id: string
  protocol_data_type: string
  effective_byte_width: number | null
  idempotent_write: boolean
}

export interface DiagnosticsParts {
  readonly catalog: Catalog
  readonly devices: () => readonly DeviceRuntime[]
  readonly endpoints: () => readonly Endpoint[]
  readonly slaves: SlaveSearch
}

export function createDiagnostics({ catalog, devices, endpoints, slaves }: DiagnosticsParts): Diagnostics {
  function endpointOf(id: string): Endpoint {
    const found = endpoints().find((endpoint) => endpoint.id === id)
    if (found === undefined) throw new Problem('not_found', `There is no connection ${id}`)
    return found
  }

  return {
    objects: () =>
      catalog.objects.map((object) => ({
        name: object.name,
        object_id: hex(object.objectId),
        protocol_data_type: object.type,
        effective_byte_width: object.width ?? null,
        idempotent_write: object.isIdempotent,
      })),
    transports: () => ({ transports: endpoints().map(transportOf), ...deviceMaps(devices(), catalog) }),
    async slaves(deviceId) {
      const runtime = devices().find((device) => device.deviceId === deviceId)
      if (runtime === undefined) throw unknownDevice(deviceId)
      return slaves.find(runtime)
    },
    frames(endpointId, limit) {
      const frames = endpointOf(endpointId).recorder.frames().slice(-limit)
      return { endpoint_id: endpointId, frames: frames.map((frame) => Object.assign({}, frame, named(frame, catalog))) }
    },
    capture: (endpointId) => endpointOf(endpointId).recorder.exportCapture(),
  }
}

const hex = (id: number): string => `0x${id.toString(16).toUpperCase().padStart(8, '0')}`

function transportOf({ id, host, port, link, deviceIds, networkIds }: Endpoint): Transports['transports'][number] {
  const status = link.status()
  const isLocked = status.state === 'maintenance'
  return {
    endpoint_id: id,
    host,
    port,
    device_ids: [...deviceIds],
    network_ids: [...networkIds],
    state: status.state,
    crc_errors: status.crcErrors,
    framing_errors: status.framingErrors,
    discarded_bytes: status.discardedBytes,
    connection_epoch: status.epoch,
    unexpected_frames: status.unexpectedFrames,
    foreign_access_suspected: status.foreignAccessSuspected,
    queue_length: status.queueLength,
    request_gap_ms: status.gapMs,
    locked: isLocked,
    lock_reason: isLocked ? 'bootloader' : null,
    last_frame_at: momentOf(status.lastFrameAt),
  }
}

function deviceMaps(devices: readonly DeviceRuntime[], catalog: Catalog): Omit<Transports, 'transports'> {
  const map = <T>(pick: (device: DeviceRuntime) => T) =>
    Object.fromEntries(devices.map((device) => [device.deviceId, pick(device)]))
  return {
    periodic_registrations: map((device) => device.periodic?.status().registrations ?? 0),
    periodic_available: map((device) => device.periodic?.status().available ?? null),
    periodic_setup_failures: map((device) => device.periodic?.status().setupFailures ?? 0),
    periodic_last_failure: map((device) => device.periodic?.status().lastFailure ?? null),
    unanswered_metrics: map((device) =>
      device.unanswered.list().map(({ objectId, since, retryAt }) => ({
        name: catalog.byId(objectId)?.name ?? hex(objectId),
        since: new Date(since).toISOString(),
        retry_at: new Date(retryAt).toISOString(),
      })),
    ),
  }
}

/** Name and readable value of a recorded frame, where the catalog knows the object. */
function named(frame: { object_id: string; command: string; payload: string }, catalog: Catalog) {
  const object = catalog.byId(Number.parseInt(frame.object_id, 16))
  if (object === undefined || frame.payload === '') return { name: object?.name ?? null, value: null }
  try {
    const value = apiValueOf(object, Buffer.from(frame.payload, 'hex'))
    return { name: object.name, value: textOf(value) }
  } catch {
    return { name: object.name, value: null }
  }
}
