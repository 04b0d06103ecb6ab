import type { DeviceRow } from '../tables.ts'
import type { AdminDevice } from './schema.ts'

/** A configured inverter. */
export type Device = Readonly<ReturnType<typeof deviceOfRow>>

/** Endpoint of a device; devices with the same endpoint share a connection. */
export const endpointOf = (device: Pick<Device, 'host' | 'port' | 'isSimulated'>): string =>
  device.isSimulated ? 'simulated' : `${device.host.toLowerCase()}:${device.port}`

/** Role of the device among those of its endpoint. */
export function roleOf(device: Device, all: readonly Device[]): 'master' | 'slave' | 'standalone' {
  if (device.networkId !== undefined) return 'slave'
  const neighbours = all.filter((other) => endpointOf(other) === endpointOf(device))
  return neighbours.length > 1 ? 'master' : 'standalone'
}

/**
 * Returns the error in a list of devices as one sentence, or undefined: two devices of one endpoint with the same network
 * id, or both without one.
 */
export function deviceListError(devices: readonly Device[]): string | undefined {
  const seen = new Map<string, Device>()
  for (const device of devices) {
    const key = `${endpointOf(device)} ${device.networkId ?? ''}`
    const other = seen.get(key)
    if (other !== undefined) {
      const what = device.networkId === undefined ? 'no network id' : `the network id ${device.networkId}`
      return `${other.id} and ${device.id} are on the same endpoint and have ${what}`
    }
    seen.set(key, device)
  }
  return undefined
}

/** Maps a stored row to a device: 0 and 1 become booleans, a null network id undefined. */
export function deviceOfRow(row: DeviceRow) {
  return {
    id: row.id,
    displayName: row.display_name,
    host: row.host,
    port: row.port,
    /** Plant address behind the endpoint; undefined for the device that answers without one. */
    networkId: row.network_id ?? undefined,
    isSimulated: row.is_simulated === 1,
    requestGapMs: row.request_gap_ms,
    periodicReads: row.periodic_reads === 1,
    /** Watts; null until the operator sets them. */
    maxChargePowerW: row.max_charge_power_w,
    maxDischargePowerW: row.max_discharge_power_w,
    engineeringMode: row.engineering_mode === 1,
    firmware: row.firmware,
    serial: row.serial,
    createdAt: row.created_at,
  }
}

export function rowOfDevice(device: Device): DeviceRow {
  return {
    id: device.id,
    display_name: device.displayName,
    host: device.host,
    port: device.port,
    network_id: device.networkId ?? null,
    is_simulated: device.isSimulated ? 1 : 0,
    request_gap_ms: device.requestGapMs,
    periodic_reads: device.periodicReads ? 1 : 0,
    max_charge_power_w: device.maxChargePowerW,
    max_discharge_power_w: device.maxDischargePowerW,
    engineering_mode: device.engineeringMode ? 1 : 0,
    firmware: device.firmware,
    serial: device.serial,
    created_at: device.createdAt,
  }
}

/** Current condition of a device. */
export type DeviceCondition = Pick<AdminDevice, 'ready' | 'state' | 'last_success_at'>

/** A device as its administrator sees it; programs see a part of it. */
export function deviceView(
  device: Device,
  { all, condition }: { all: readonly Device[]; condition: DeviceCondition | undefined },
): AdminDevice {
  return {
    device_id: device.id,
    display_name: device.displayName,
    role: roleOf(device, all),
    ready: condition?.ready ?? false,
    host: device.host,
    port: device.port,
    network_id: device.networkId ?? null,
    is_simulated: device.isSimulated,
    request_gap_ms: device.requestGapMs,
    periodic_reads: device.periodicReads,
    max_charge_power_w: device.maxChargePowerW,
    max_discharge_power_w: device.maxDischargePowerW,
    engineering_mode: device.engineeringMode,
    firmware: device.firmware,
    state: condition?.state ?? 'starting',
    last_success_at: condition?.last_success_at ?? null,
  }
}
