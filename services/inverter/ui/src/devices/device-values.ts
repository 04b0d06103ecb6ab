import { changedValues } from '@hearth/ui/changed-values'
import type { AdminDevice, Schemas } from '../api.ts'

/** Values of the device form; numbers may be empty during input. */
export interface DeviceValues extends Record<string, unknown> {
  device_id: string
  display_name: string
  host: string
  port: number | string
  /** Empty for the inverter that owns the connection. */
  network_id: number | string
  request_gap_ms: number | string
  periodic_reads: boolean
}

/** The empty form of a new device. */
export const newDeviceValues: DeviceValues = {
  device_id: '',
  display_name: '',
  host: '',
  port: 8899,
  network_id: '',
  request_gap_ms: 80,
  periodic_reads: true,
}

/** A device as its form shows it. */
export function deviceValues(device: AdminDevice): DeviceValues {
  const { device_id, display_name, host, port, network_id, request_gap_ms, periodic_reads } = device
  return { device_id, display_name, host, port, network_id: network_id ?? '', request_gap_ms, periodic_reads }
}

/** The request that adds a device. */
export function toDeviceCreate(values: DeviceValues): Schemas['DeviceCreate'] {
  const { device_id, display_name, periodic_reads } = values
  return {
    ...toConnectionTest(values),
    device_id: device_id.trim(),
    display_name: display_name.trim(),
    request_gap_ms: Number(values.request_gap_ms),
    periodic_reads,
  }
}

/** Only what differs from the device, or undefined when nothing does. */
export function toDeviceChange(values: DeviceValues, device: AdminDevice): Schemas['DeviceChange'] | undefined {
  const { device_id: _, ...wanted } = toDeviceCreate(values)
  const changed = changedValues(wanted, device)
  return Object.keys(changed).length === 0 ? undefined : changed
}

/** The address of the form, for a test of the connection. */
export function toConnectionTest(
  values: Pick<DeviceValues, 'host' | 'port' | 'network_id'>,
): Schemas['ConnectionTest'] {
  const { host, port, network_id } = values
  return { host: host.trim(), port: Number(port), network_id: network_id === '' ? null : Number(network_id) }
}

/** True when the change leads to another device, so that its verifications are no longer valid. */
export function changesAddress(values: DeviceValues, device: AdminDevice): boolean {
  const change = toDeviceChange(values, device)
  return change !== undefined && ['host', 'port', 'network_id'].some((member) => member in change)
}

/** Proposes a device ID from a display name: `Roof south` becomes `roof-south`. */
export function proposedId(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64)
}

/** The records that name a network id; what a device leaves out is empty. */
export function knownSlaves(slaves: readonly Schemas['Slave'][]) {
  return slaves.flatMap((slave) => {
    const networkId = slave['network_id']
    if (typeof networkId !== 'number') return []
    return [{ networkId, name: textOf(slave['name']), serial: textOf(slave['serial_number']) }]
  })
}

function textOf(value: Schemas['Slave'][string] | undefined): string {
  return typeof value === 'string' ? value : ''
}
