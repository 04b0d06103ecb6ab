import type { Kysely } from 'kysely'
import type { InterfaceRow, Tables } from '../tables.ts'
import { allInterfaceRows } from './store.ts'

/** An interface that runs on a node. */
export interface PlacedInterface {
  readonly name: string
  readonly nodeId: string
  readonly isEnabled: boolean
  /** Since when it is to be so, milliseconds since the epoch. */
  readonly since: number
}

/** Says which interfaces run on nodes, and notifies of what changes there. All others run on this host. */
export class Placement {
  readonly #placed = new Map<string, PlacedInterface>()
  readonly #listeners = new Set<(nodeId: string) => void>()

  /** Takes over what the database says, at the start. */
  async load(db: Kysely<Tables>, now: number): Promise<void> {
    for (const row of await allInterfaceRows(db)) this.place(row, now)
  }

  /** Returns true for an interface of this host, and for one that is not known. */
  isHere(name: string): boolean {
    return !this.#placed.has(name)
  }

  /** True when every interface runs on this host. */
  get isAllHere(): boolean {
    return this.#placed.size === 0
  }

  find(name: string): PlacedInterface | undefined {
    return this.#placed.get(name)
  }

  /** Interfaces on nodes. */
  all(): IterableIterator<PlacedInterface> {
    return this.#placed.values()
  }

  /** Takes over where an interface is to run; the nodes that it comes to, leaves, or changes on are notified. */
  place({ name, node_id: nodeId, enabled }: Pick<InterfaceRow, 'name' | 'node_id' | 'enabled'>, now: number): void {
    const before = this.#placed.get(name)
    if (nodeId === null) this.#placed.delete(name)
    else {
      const isEnabled = enabled === 1
      const isSame = before?.nodeId === nodeId && before.isEnabled === isEnabled
      this.#placed.set(name, { name, nodeId, isEnabled, since: isSame ? before.since : now })
    }
    for (const id of new Set([before?.nodeId, nodeId])) if (typeof id === 'string') this.#notify(id)
  }

  /** Forgets a deleted interface. */
  remove(name: string): void {
    const before = this.#placed.get(name)
    this.#placed.delete(name)
    if (before !== undefined) this.#notify(before.nodeId)
  }

  /** Notifies the node of an interface that its peers changed; one of this host has none. */
  changed(name: string): void {
    const placed = this.#placed.get(name)
    if (placed !== undefined) this.#notify(placed.nodeId)
  }

  /** Notifies every node that has interfaces, after a change that may concern each. */
  allChanged(): void {
    for (const id of new Set([...this.#placed.values()].map(({ nodeId }) => nodeId))) this.#notify(id)
  }

  /** Calls the listener with a node whenever what it is to run may have changed. */
  subscribe(listener: (nodeId: string) => void): void {
    this.#listeners.add(listener)
  }

  #notify(nodeId: string): void {
    for (const listener of this.#listeners) listener(nodeId)
  }
}
