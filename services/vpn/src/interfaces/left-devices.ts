import type { Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { WireGuardDriver } from '../wireguard/device.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import { findInterfaceRow, forgetLeftDevice, leftDevices } from './store.ts'

export interface LeftDevicesDependencies {
  readonly db: Kysely<Tables>
  readonly driver: Pick<WireGuardDriver, 'read'>
  readonly tunnels: Pick<Tunnels, 'withLock'>
  readonly log: Pick<Log, 'error' | 'info'>
}

/**
 * Takes the devices down whose interfaces were deleted or moved while the service was off, or when it ended. Only those that were noted then: a node
 * on the same host may run a device of the same name and key.
 */
export async function takeLeftDevices({ db, driver, tunnels, log }: LeftDevicesDependencies): Promise<void> {
  for (const { name, publicKey } of await leftDevices(db)) {
    try {
      const row = await findInterfaceRow(db, name)
      // One of this host is brought to what it should be anyway.
      const isGone = row === undefined || row.node_id !== null
      if (isGone && (await driver.read(name))?.publicKey === publicKey) {
        await tunnels.withLock(name, (changes) => changes.take(name, publicKey))
        log.info({ interface: name }, 'the interface is not of this host any more; its device is down')
      }
      await forgetLeftDevice(db, name)
    } catch (error) {
      log.error(
        { err: error, interface: name },
        'the device of an interface that is not of this host could not be taken down',
      )
    }
  }
}
