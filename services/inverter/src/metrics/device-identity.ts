import type { Catalog } from '../catalog/catalog.ts'
import type { Link } from '../link/link.ts'
import type { Priority } from '../link/send-queue.ts'
import type { UnansweredObjects } from '../link/unanswered-objects.ts'
import type { DeviceReader } from './device-reader.ts'
import type { DeviceRow } from '../tables.ts'
import { textOf } from './value.ts'

/** Identity of the inverter that answers. Null where the firmware does not answer the object. */
export type Identity = Readonly<Pick<DeviceRow, 'firmware' | 'serial'>>

/** Attempts to read everything on one and the same connection. */
const maxAttempts = 3

interface IdentityDependencies {
  readonly link: Pick<Link, 'status'>
  readonly catalog: Catalog
  readonly reader: DeviceReader
  readonly unanswered: UnansweredObjects
  /** Called with what was read on a new connection, before anything is written on it; rejects to refuse writes. */
  readonly onIdentity: (identity: Identity) => Promise<'same' | 'changed'>
}

/**
 * Confirms the identity of the device. Resolves with the connection whose identity is known, after reading it there if it is
 * not. Throws a `Problem`.
 */
export type ConfirmIdentity = (priority: Priority) => Promise<number>

/**
 * Creates the confirmation of a device's identity: firmware revision and serial number are read once on every connection,
 * because the inverter may have been updated or replaced.
 */
export function createIdentity({
  link,
  catalog,
  reader,
  unanswered,
  onIdentity,
}: IdentityDependencies): ConfirmIdentity {
  const running = new Map<Priority, Promise<number>>()
  /** The connection on which the identity was read and accepted. */
  let known = -1

  async function read(name: string, priority: Priority): Promise<string | null> {
    const object = catalog.byName(name)
    if (object === undefined) return null
    // Every firmware answers the object of the heartbeat.
    const probe = catalog.byName(catalog.roles.heartbeat)
    if (probe !== undefined && unanswered.isDoubtful(object.objectId)) await reader.readDirect(probe, priority)
    if (unanswered.isLeftOut(object.objectId)) return null
    return textOf((await reader.readDirect(object, priority)).value)
  }

  async function readBoth(priority: Priority): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      const firmware = await read('svnversion', priority)
      const { epoch } = link.status()
      const serial = await read('inverter_serial', priority)
      if (link.status().epoch !== epoch && attempt < maxAttempts) continue
      if ((await onIdentity({ firmware, serial })) === 'changed') unanswered.forget()
      known = epoch
      return epoch
    }
  }

  return async (priority) => {
    const { state, epoch } = link.status()
    if (state === 'connected' && epoch === known) return epoch
    const reading = running.get(priority) ?? readBoth(priority).finally(() => running.delete(priority))
    running.set(priority, reading)
    return reading
  }
}
