import type { ReadinessReport } from '../readiness/readiness.ts'
import type { DeviceGraph } from './device-graph.ts'
import { roleOf, type Device } from './device.ts'
import type { Devices } from './devices.ts'
import type { AdminDevice, PublicDevice } from './schema.ts'

/** How devices look on the wire. */
export interface DeviceViews {
  forPrograms(): PublicDevice[]
  forAdministrators(): AdminDevice[]
  forAdministrator(device: Device): AdminDevice
}

export function createDeviceViews(parts: {
  devices: Devices
  graph: DeviceGraph
  readiness: ReadinessReport
}): DeviceViews {
  const { devices, graph, readiness } = parts

  function readinessOf(id: string) {
    const runtime = graph.device(id)
    return runtime === undefined ? undefined : readiness.device(runtime)
  }

  const common = (device: Device): PublicDevice => ({
    device_id: device.id,
    display_name: device.displayName,
    role: roleOf(device, devices.all()),
    ready: readinessOf(device.id)?.ready ?? false,
  })

  function forAdministrator(device: Device): AdminDevice {
    const state = readinessOf(device.id)
    return {
      ...common(device),
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
      state: state?.state ?? 'starting',
      last_success_at: state?.last_success_at ?? null,
    }
  }

  return {
    forPrograms: () => devices.all().map(common),
    forAdministrators: () => devices.all().map(forAdministrator),
    forAdministrator,
  }
}
