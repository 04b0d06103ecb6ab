import { DeviceError, type DeviceState, type WireGuardDriver } from '../wireguard/device.ts'
import type { DesiredDevice } from '../wireguard/drift.ts'
import { publicKeyOf } from '../wireguard/keys.ts'

/**
 * Tells the interfaces of this node from those of other programs on the host. The service cannot see the host when an interface is
 * created, so its name may be that of a tunnel which somebody made by hand.
 */
export class OwnDevices {
  readonly #privateKeys = new Map<string, Set<string>>()

  /** Makes the keys of these interfaces known as this node's. */
  add(devices: readonly Pick<DesiredDevice, 'config'>[]): void {
    for (const { config } of devices) {
      const keys = this.#privateKeys.get(config.name) ?? new Set()
      this.#privateKeys.set(config.name, keys.add(config.privateKey))
    }
  }

  /** True when a device has a key that this node gave it, or none yet. */
  has(name: string, { publicKey }: Pick<DeviceState, 'publicKey'>): boolean {
    if (publicKey === null) return true
    return [...(this.#privateKeys.get(name) ?? [])].some((key) => publicKeyOf(key) === publicKey)
  }

  /** Returns a driver that leaves devices of other programs alone: it takes none away, and refuses to bring one up in its place. */
  guard(driver: WireGuardDriver): WireGuardDriver {
    const isOthers = async (name: string) => {
      const state = await driver.read(name)
      return state !== undefined && !this.has(name, state)
    }
    return {
      ...driver,
      async remove(name) {
        if (!(await isOthers(name))) await driver.remove(name)
      },
      async isForeignLink(name) {
        if (await driver.isForeignLink(name)) return true
        if (!(await isOthers(name))) return false
        throw new DeviceError(
          `${name} exists on the node already, with a key that is not the interface's: remove it there, or name this one differently`,
        )
      },
    }
  }
}
