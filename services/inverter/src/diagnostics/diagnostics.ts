import { toIsoString, type Timers } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { DeviceConnections, Endpoint } from '../devices/device-connections.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { staleReasonOf } from '../metrics/device-problem.ts'
import { apiValueOf, textOf } from '../metrics/value.ts'
import { Problem } from '../problems.ts'
import type { FrameList, SlaveList, Transports, VendorObject } from './schema.ts'

/** Diagnostics of the connections: objects, counters, recorded frames. */
export type Diagnostics = ReturnType<typeof createDiagnostics>

/** Creates the diagnostics. Methods that take an endpoint or a device throw a `Problem` when it does not exist. */
export function createDiagnostics(connections: DeviceConnections, catalog: Catalog, timers: Timers) {
  const findSlaves = createSlaveSearch(catalog, timers)

  function endpointOf(id: string): Endpoint {
    const found = connections.endpoints().find((endpoint) => endpoint.id === id)
    if (found === undefined) throw new Problem('not_found', `There is no connection ${id}`)
    return found
  }

  return {
    objects: (): VendorObject[] =>
      catalog.objects.map((object) => ({
        name: object.name,
        object_id: hex(object.objectId),
        protocol_data_type: object.type,
        effective_byte_width: object.width ?? null,
        idempotent_write: object.isIdempotent,
      })),
    transports: (): Transports => ({
      transports: connections.endpoints().map(transportOf),
      ...deviceMaps(connections.devices(), catalog),
    }),
    async slaves(deviceId: string): Promise<SlaveList> {
      return findSlaves(connections.required(deviceId))
    },
    /** Returns the last frames of a connection, newest last. */
    frames(endpointId: string, limit: number): FrameList {
      const frames = endpointOf(endpointId).recorder.frames().slice(-limit)
      return { endpoint_id: endpointId, frames: frames.map((frame) => Object.assign({}, frame, named(frame, catalog))) }
    },
    /** Returns the whole recording as JSON lines, which the simulator can replay. */
    capture: (endpointId: string): string => endpointOf(endpointId).recorder.exportCapture(),
  }
}

const hex = (id: number): string => `0x${id.toString(16).toUpperCase().padStart(8, '0')}`

function transportOf({ id, host, port, link, runtimes }: Endpoint): Transports['transports'][number] {
  const status = link.status()
  const isLocked = status.state === 'maintenance'
  return {
    endpoint_id: id,
    host,
    port,
    device_ids: [...runtimes.keys()],
    network_ids: [...runtimes.values()].map(({ networkId }) => networkId ?? null),
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
    last_frame_at: toIsoString(status.lastFrameAt),
  }
}

function deviceMaps(devices: readonly DeviceRuntime[], catalog: Catalog): Omit<Transports, 'transports'> {
  const map = <T>(pick: (device: DeviceRuntime) => T) =>
    Object.fromEntries(devices.map((device) => [device.deviceId, pick(device)]))
  return {
    periodic_registrations: map(({ periodic }) => periodic?.status().registrations ?? 0),
    periodic_available: map(({ periodic }) => periodic?.status().available ?? null),
    periodic_setup_failures: map(({ periodic }) => periodic?.status().setupFailures ?? 0),
    periodic_last_failure: map(({ periodic }) => periodic?.status().lastFailure ?? null),
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
    return { name: object.name, value: textOf(apiValueOf(object, Buffer.from(frame.payload, 'hex'))) }
  } catch {
    return { name: object.name, value: null }
  }
}

/** Limits of the search, times in milliseconds: each reading of a device names one slave, in rotation. */
const keptFor = 300_000
const maxReadings = 40
const maxSlaves = 31
const repeatsToComplete = 3

/**
 * Creates the search for further inverters behind a device. It keeps a complete list for 5 minutes, and concurrent requests
 * for one device share a search.
 */
function createSlaveSearch(catalog: Catalog, timers: Timers): (runtime: DeviceRuntime) => Promise<SlaveList> {
  const searches = new Map<string, { list: Promise<SlaveList>; until: number }>()
  return (runtime) => {
    const kept = searches.get(runtime.deviceId)
    if (kept !== undefined && timers.monotonic() < kept.until) return kept.list
    const search = { list: readSlaves(runtime, catalog.byName('net_slave_data')), until: Infinity }
    searches.set(runtime.deviceId, search)
    const end = (isComplete: boolean) => void (search.until = isComplete ? timers.monotonic() + keptFor : 0)
    void search.list.then(
      ({ complete }) => end(complete),
      () => end(false),
    )
    return search.list
  }
}

async function readSlaves({ deviceId, reader }: DeviceRuntime, object: CatalogObject | undefined): Promise<SlaveList> {
  const found = new Map<unknown, SlaveList['slaves'][number]>()
  const list = (complete: boolean, code: string | null): SlaveList => ({
    device_id: deviceId,
    slaves: [...found.values()],
    complete,
    error_code: code,
  })
  if (object === undefined) return list(true, null)
  let repeats = 0
  for (let reading = 0; reading < maxReadings && repeats < repeatsToComplete && found.size < maxSlaves; reading += 1) {
    try {
      const slave = (await reader.readDirect(object, 'normal')).value as SlaveList['slaves'][number]
      repeats = found.has(slave['network_id']) ? repeats + 1 : 0
      found.set(slave['network_id'], slave)
    } catch (error) {
      const code = staleReasonOf(error)
      if (code === undefined) throw error
      return list(false, code)
    }
  }
  return list(repeats >= repeatsToComplete, null)
}
