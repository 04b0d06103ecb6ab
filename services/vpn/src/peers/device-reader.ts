import type { Log } from '@hearth/runtime'
import type { DeviceState, WireGuardDriver } from '../wireguard/device.ts'

/** Reads devices and their peers. */
export type Devices = Pick<WireGuardDriver, 'read' | 'readPeer'>

/** Reads devices for the sampler; a failure is logged, and the drift check reports why. */
export class DeviceReader {
  readonly #devices: Devices
  readonly #log: Log

  constructor({ devices, log }: { readonly devices: Devices; readonly log: Log }) {
    this.#devices = devices
    this.#log = log
  }

  /** Reads a device: null when it does not exist, undefined when the reading failed. */
  async read<T>(name: string, read: (devices: Devices) => Promise<T | undefined>): Promise<T | null | undefined> {
    try {
      return (await read(this.#devices)) ?? null
    } catch (error) {
      this.#log.warn({ err: error, interface: name }, 'reading the device failed')
      return undefined
    }
  }

  /** Reads devices one after the other. One whose reading fails is left out. */
  async readAll(names: Iterable<string>): Promise<Map<string, DeviceState | null>> {
    const readings = new Map<string, DeviceState | null>()
    for (const name of new Set(names)) {
      const reading = await this.read(name, (devices) => devices.read(name))
      if (reading !== undefined) readings.set(name, reading)
    }
    return readings
  }
}
