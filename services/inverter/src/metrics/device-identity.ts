import type { CatalogObject } from '../catalog/catalog.ts'
import type { Link } from '../link/link.ts'
import type { Priority } from '../link/send-queue.ts'
import type { UnansweredObjects } from '../link/unanswered-objects.ts'
import { textOf, type ApiValue } from './value.ts'

/** Identity of the inverter that answers. Null where the firmware does not answer the object. */
export interface Identity {
  readonly firmware: string | null
  readonly serial: string | null
}

/** Attempts to read everything on one and the same connection. */
const maxAttempts = 3

export interface IdentityDependencies {
  readonly link: Pick<Link, 'status'>
  readonly firmware: CatalogObject | undefined
  readonly serial: CatalogObject | undefined
  /** An object that every firmware answers. */
  readonly probe: CatalogObject | undefined
  readonly read: (object: CatalogObject, priority: Priority) => Promise<ApiValue>
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
    const reading = this.#read(priority).finally(() => this.#running.delete(priority))
    this.#running.set(priority, reading)
    return reading
  }

  async #read(priority: Priority): Promise<number> {
    const { link, firmware, serial, unanswered, onIdentity } = this.#dependencies
    for (let attempt = 1; ; attempt += 1) {
      const first = await this.#textOf(firmware, priority)
      const { epoch } = link.status()
      const second = await this.#textOf(serial, priority)
      if (link.status().epoch !== epoch && attempt < maxAttempts) continue
      if ((await onIdentity({ firmware: first, serial: second })) === 'changed') unanswered.forget()
      this.#epoch = epoch
      return epoch
    }
  }

  async #textOf(object: CatalogObject | undefined, priority: Priority): Promise<string | null> {
    const { unanswered, probe, read } = this.#dependencies
    if (object === undefined) return null
    if (probe !== undefined && unanswered.isDoubtful(object.objectId)) await read(probe, priority)
    if (unanswered.isLeftOut(object.objectId)) return null
    return textOf(await read(object, priority))
  }
}
