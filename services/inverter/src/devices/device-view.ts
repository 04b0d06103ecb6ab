import { roleOf, type Device } from './device.ts'
import type { Devices } from './devices.ts'
import type { AdminDevice, PublicDevice } from './schema.ts'
import type { LivenessState } from './liveness.ts'

/** Current condition of a device. */
interface DeviceCondition {
  readonly ready: boolean
  readonly state: LivenessState
  readonly last_success_at: string | null
}

/** Devices as the API shows them: to programs, and with their connection to administrators. */
export class DeviceViews {
  readonly #devices: Devices
  readonly #conditionOf: (deviceId: string) => DeviceCondition | undefined

  constructor(devices: Devices, conditionOf: (deviceId: string) => DeviceCondition | undefined) {
    this.#devices = devices
    this.#conditionOf = conditionOf
  }

  forPrograms(): PublicDevice[] {
    return this.#devices.all().map((device) => this.#common(device))
  }

  forAdministrators(): AdminDevice[] {
    return this.#devices.all().map((device) => this.forAdministrator(device))
  }

  forAdministrator(device: Device): AdminDevice {
    const condition = this.#conditionOf(device.id)
    return {
      ...this.#common(device),
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

  #common(device: Device): PublicDevice {
    return {
      device_id: device.id,
      display_name: device.displayName,
      role: roleOf(device, this.#devices.all()),
      ready: this.#conditionOf(device.id)?.ready ?? false,
    }
  }
}
