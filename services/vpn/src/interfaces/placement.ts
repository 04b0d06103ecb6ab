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

/** The columns that say where an interface runs. */
type PlaceColumns = Pick<InterfaceRow, 'name' | 'node_id' | 'standby_node_id' | 'enabled'>

/** Where an interface was is known for so long, milliseconds: nodes keep what they did not send for a week. */
const rememberMs = 8 * 86_400_000

/** Says which interfaces run on nodes, and notifies of what changes there. All others run on this host. */
export class Placement {
  readonly #placed = new Map<string, PlacedInterface>()
  /** Interfaces of which a node runs a second one, wherever the first is. */
  readonly #standbys = new Map<string, PlacedInterface>()
  /** When an interface left a node, by both. */
  readonly #left = new Map<string, number>()
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

  /** The standby of an interface. */
  standbyOf(name: string): PlacedInterface | undefined {
    return this.#standbys.get(name)
  }

  /** Interfaces on nodes, standbys among them. */
  all(): PlacedInterface[] {
    return [...this.#placed.values(), ...this.#standbys.values()]
  }

  /** Takes over where an interface is to run; the nodes that it comes to, leaves, or changes on are notified. */
  place(row: PlaceColumns, now: number): void {
    const nodes = new Set(this.#nodesOf(row.name))
    setPlace(this.#placed, { row, nodeId: row.node_id, now })
    setPlace(this.#standbys, { row, nodeId: row.standby_node_id, now })
    const after = new Set(this.#nodesOf(row.name))
    for (const [key, at] of this.#left) if (now - at > rememberMs) this.#left.delete(key)
    for (const id of nodes.difference(after)) this.#left.set(`${row.name} ${id}`, now)
    for (const id of nodes.union(after)) this.#notify(id)
  }

  /** When an interface left a node, milliseconds since the epoch; undefined when it was not there since this service began. */
  leftAt(name: string, nodeId: string): number | undefined {
    return this.#left.get(`${name} ${nodeId}`)
  }

  /** Forgets a deleted interface. */
  remove(name: string): void {
    const nodes = this.#nodesOf(name)
    this.#placed.delete(name)
    this.#standbys.delete(name)
    for (const id of nodes) this.#notify(id)
  }

  /** Notifies the nodes of an interface that its peers changed; one of this host alone has none. */
  changed(name: string): void {
    for (const id of this.#nodesOf(name)) this.#notify(id)
  }

  /** Notifies every node that has interfaces, after a change that may concern each. */
  allChanged(): void {
    for (const id of new Set(this.all().map(({ nodeId }) => nodeId))) this.#notify(id)
  }

  #nodesOf(name: string): string[] {
    return [this.#placed.get(name), this.#standbys.get(name)].flatMap((one) => one?.nodeId ?? [])
  }

  /** Calls the listener with a node whenever what it is to run may have changed. */
  subscribe(listener: (nodeId: string) => void): void {
    this.#listeners.add(listener)
  }

  #notify(nodeId: string): void {
    for (const listener of this.#listeners) listener(nodeId)
  }
}

function setPlace(
  places: Map<string, PlacedInterface>,
  { row: { name, enabled }, nodeId, now }: { row: PlaceColumns; nodeId: string | null; now: number },
): void {
  if (nodeId === null) return void places.delete(name)
  const before = places.get(name)
  const isEnabled = enabled === 1
  const isSame = before?.nodeId === nodeId && before.isEnabled === isEnabled
  places.set(name, { name, nodeId, isEnabled, since: isSame ? before.since : now })
}
