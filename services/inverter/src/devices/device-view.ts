import { roleOf, type Device } from './device.ts'
import type { Devices } from './devices.ts'
import type { AdminDevice, PublicDevice } from './schema.ts'

/** Current condition of a device. */
type DeviceCondition = Pick<AdminDevice, 'ready' | 'state' | 'last_success_at'>

/** Devices as the API shows them. */
export type DeviceViews = ReturnType<typeof createDeviceViews>

/** Creates the views of the devices: for programs, and with their connection for administrators. */
export function createDeviceViews(devices: Devices, conditionOf: (deviceId: string) => DeviceCondition | undefined) {
  const forProgram = (device: Device): PublicDevice => ({
    device_id: device.id,
    display_name: device.displayName,
    role: roleOf(device, devices.all()),
    ready: conditionOf(device.id)?.ready ?? false,
  })
  function forAdministrator(device: Device): AdminDevice {
    const condition = conditionOf(device.id)
    return {
      ...forProgram(device),
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
  return {
    forAdministrator,
    forPrograms: () => devices.all().map(forProgram),
    forAdministrators: () => devices.all().map(forAdministrator),
  }
}
