import type { Catalog } from '../catalog/catalog.ts'
import type { Link } from '../link/link.ts'
import type { Priority } from '../link/send-queue.ts'
import type { UnansweredObjects } from '../link/unanswered-objects.ts'
import type { DeviceReader } from './device-reader.ts'
import { textOf } from './value.ts'

/** Identity of the inverter that answers. Null where the firmware does not answer the object. */
export interface Identity {
  readonly firmware: string | null
  readonly serial: string | null
}

/** Attempts to read everything on one and the same connection. */
const maxAttempts = 3

export interface IdentityDependencies {
  readonly link: Pick<Link, 'status'>
  readonly catalog: Catalog
  readonly reader: DeviceReader
  readonly unanswered: UnansweredObjects
  /** Called with what was read on a new connection, before anything is written on it; rejects to refuse writes. */
  readonly onIdentity: (identity: Identity) => Promise<'same' | 'changed'>
}

/** Reads firmware revision and serial number once on every connection: an update or a swap ends the one before. */
export class DeviceIdentity {
  readonly #dependencies: IdentityDependencies
  readonly #running = new Map<Priority, Promise<number>>()
  /** The connection on which the identity was read and accepted. */
  #epoch = -1

  constructor(dependencies: IdentityDependencies) {
    this.#dependencies = dependencies
  }

  /** Resolves with the connection whose identity is known, after reading it there if need be. Throws a `Problem`. */
  async confirm(priority: Priority): Promise<number> {
    const { state, epoch } = this.#dependencies.link.status()
    if (state === 'connected' && epoch === this.#epoch) return epoch
    const running = this.#running.get(priority)
    if (running !== undefined) return running
    const reading = this.#readBoth(priority).finally(() => this.#running.delete(priority))
    this.#running.set(priority, reading)
    return reading
  }

  async #readBoth(priority: Priority): Promise<number> {
    const { link, unanswered, onIdentity } = this.#dependencies
    for (let attempt = 1; ; attempt += 1) {
      const firmware = await this.#read('svnversion', priority)
      const { epoch } = link.status()
      const serial = await this.#read('inverter_serial', priority)
      if (link.status().epoch !== epoch && attempt < maxAttempts) continue
      if ((await onIdentity({ firmware, serial })) === 'changed') unanswered.forget()
      this.#epoch = epoch
      return epoch
    }
  }

  async #read(name: string, priority: Priority): Promise<string | null> {
    const { unanswered, catalog, reader } = this.#dependencies
    const object = catalog.byName(name)
    if (object === undefined) return null
    // Every firmware answers the object of the heartbeat.
    const probe = catalog.byName(catalog.roles.heartbeat)
    if (probe !== undefined && unanswered.isDoubtful(object.objectId)) await reader.readDirect(probe, priority)
    if (unanswered.isLeftOut(object.objectId)) return null
    return textOf((await reader.readDirect(object, priority)).value)
  }
}
