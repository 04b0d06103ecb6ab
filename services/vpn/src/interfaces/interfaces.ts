import type { Sealer } from '@hearth/credentials'
import type { Database, Page } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { conflict, namedConflict, notFound, tunnelProblem } from '../problems.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import type { TunnelState } from '../wireguard/tunnel-controller.ts'
import type { TunnelChanges, Tunnels } from '../wireguard/tunnels.ts'
import type { DesiredDevices } from './desired-devices.ts'
import { type InterfacePeer, interfaceOfRow } from './interface-view.ts'
import { checkNetworks, checkPeersFit, hostsOf, lockNetworks } from './network-checks.ts'
import { changedInterfaceRow, type InterfaceDefaults, type KeyPair, newInterfaceRow } from './new-interface.ts'
import type { HostLinks } from './host-links.ts'
import { checkPlace, freePortOn } from './place-checks.ts'
import type { Placement } from './placement.ts'
import type { Interface, InterfaceCreate, InterfaceUpdate } from './schema.ts'
import * as store from './store.ts'

export interface InterfaceDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly settings: () => InterfaceDefaults
  readonly tunnels: Pick<Tunnels, 'withLock' | 'state'>
  readonly desired: DesiredDevices
  readonly sampler: InterfaceSampler
  readonly host: HostLinks
  readonly placement: Placement
  /** The host at which peers reach this host, or a node; undefined when nobody knows. */
  readonly endpointOf: (nodeId: string | null) => Promise<string | undefined>
  /** The state of an interface on its standby. */
  readonly standbyState: (name: string) => TunnelState
  /** Called before an interface that was on a node runs on this host: what holds for its peers is in force when it resolves. */
  readonly onComing: () => Promise<void>
  /** Called when the device of an interface that moved to a node is down: nothing is left to take down at the next start. */
  readonly onLeft: (name: string) => Promise<void>
  /** Called after every change of an interface; resolves when the resolver uses it. */
  readonly onChanged: () => Promise<void>
}

/** The sampler as far as interfaces need it. */
export interface InterfaceSampler {
  /** Reads the peers of an interface as they were sampled last. */
  peersOf(name: string): readonly InterfacePeer[]
  /** Takes over whether the interface is enabled. */
  interfaceChanged(row: Pick<InterfaceRow, 'name' | 'enabled'>): void
  /** Reads the device once more before its counters go away with it. */
  sampleInterface(name: string): Promise<void>
  /** Notes that these peers left their device and count from zero when they return. */
  restart(ids: readonly string[]): Promise<void>
  forget(id: string): void
}

/** Members that are unique among interfaces. */
export const interfaceMembers = ['listen_port', 'name']

/** The tunnel interfaces: every change is in the database and on the machine, or in neither. */
export class Interfaces {
  readonly #dependencies: InterfaceDependencies
  readonly #db: Kysely<Tables>

  constructor(dependencies: InterfaceDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
  }

  async list(page: { limit: number; offset: number }): Promise<Page<Interface>> {
    const { rows, total } = await store.listInterfaceRows(this.#db, page)
    return { rows: rows.map((row) => this.#view(row)), total }
  }

  async get(name: string): Promise<Interface> {
    const row = await store.findInterfaceSummary(this.#db, name)
    if (row === undefined) throw notFound(`interface ${name}`)
    return this.#view(row)
  }

  /** Creates an interface, with keys that it has elsewhere if there are some. */
  async create(input: InterfaceCreate, keys?: KeyPair): Promise<Interface> {
    await this.#dependencies.tunnels.withLock(input.name, async (tunnel) => {
      const row = await this.#newRow(input, keys)
      await namedConflict('interface', interfaceMembers, () =>
        this.#db.transaction().execute(async (trx) => {
          await lockNetworks(this.#dependencies.database.kind, trx)
          await checkNetworks(trx, row)
          await store.insertInterfaceRow(trx, row)
        }),
      )
      await this.#settle(tunnel, { after: row }, () => store.deleteInterfaceRow(this.#db, row.name))
    })
    await this.#dependencies.onChanged()
    return this.get(input.name)
  }

  async update(name: string, changes: InterfaceUpdate): Promise<Interface> {
    await this.#dependencies.tunnels.withLock(name, async (tunnel) => {
      const before = await this.#find(name)
      const after = changedInterfaceRow(before, changes, this.#dependencies.clock.now())
      const allowHostOverlap = changes.allow_host_overlap === true
      await checkPlace(this.#db, this.#dependencies.host, { before, after, allowHostOverlap })
      await namedConflict('interface', interfaceMembers, () =>
        this.#db.transaction().execute(async (trx) => {
          await lockNetworks(this.#dependencies.database.kind, trx)
          await checkNetworks(trx, after)
          await checkPeersFit(trx, after)
          await store.updateInterfaceRow(trx, name, after)
          if (before.node_id === null && after.node_id !== null) await store.noteLeftDevice(trx, name)
        }),
      )
      await this.#settle(tunnel, { before, after }, () => store.updateInterfaceRow(this.#db, name, before))
      this.#dependencies.sampler.interfaceChanged(after)
      await this.#noteEndpoints(before, after)
    })
    await this.#dependencies.onChanged()
    return this.get(name)
  }

  /** Takes the interface down and deletes it with its peers. */
  async remove(name: string): Promise<{ name: string; deleted_peers: number }> {
    const removed = await this.#dependencies.tunnels.withLock(name, async (tunnel) => {
      const { node_id: nodeId, public_key: key } = await this.#find(name)
      const ids = this.#peersOf(name)
      const taken = nodeId === null ? tunnel.take(name, key) : Promise.resolve()
      await taken.catch((error: unknown) => {
        throw tunnelProblem(error)
      })
      const deleted = await this.#db.transaction().execute((trx) => store.deleteInterfaceRow(trx, name))
      this.#dependencies.placement.remove(name)
      for (const id of ids) this.#dependencies.sampler.forget(id)
      return { name, deleted_peers: deleted }
    })
    await this.#dependencies.onChanged()
    return removed
  }

  /** Brings this host, or the node, to what the row says; puts everything back when that fails here. */
  async #settle(
    tunnel: TunnelChanges,
    { before, after }: { before?: InterfaceRow; after: InterfaceRow },
    undo: () => Promise<unknown>,
  ): Promise<void> {
    const { placement, clock } = this.#dependencies
    try {
      if (after.node_id === null) await this.#bring(tunnel, after)
      else if (before?.node_id === null) {
        await this.#take(tunnel, after)
        await this.#dependencies.onLeft(after.name)
      }
      placement.place(after, clock.now())
    } catch (error) {
      await undo()
      if (before === undefined) placement.remove(after.name)
      else {
        placement.place(before, clock.now())
        if (before.node_id === null && before.enabled === 1)
          await this.#bringDesired(tunnel, before.name).catch(() => undefined)
        else if (before.node_id !== null) await tunnel.take(before.name, before.public_key).catch(() => undefined)
      }
      throw tunnelProblem(error)
    }
  }

  async #bring(tunnel: TunnelChanges, row: InterfaceRow): Promise<void> {
    const { placement, clock, onComing } = this.#dependencies
    if (!placement.isHere(row.name)) {
      placement.place(row, clock.now())
      await onComing()
    }
    if (row.enabled === 1) await this.#bringDesired(tunnel, row.name)
    else await this.#take(tunnel, row)
  }

  async #take(tunnel: TunnelChanges, { name, public_key: key }: InterfaceRow): Promise<void> {
    const { sampler } = this.#dependencies
    await sampler.sampleInterface(name)
    await tunnel.take(name, key)
    await sampler.restart(this.#peersOf(name))
  }

  async #bringDesired(tunnel: TunnelChanges, name: string): Promise<void> {
    const [device] = await this.#dependencies.desired.read(name)
    if (device !== undefined) await tunnel.bring(device)
  }

  async #newRow(input: InterfaceCreate, keys: KeyPair | undefined): Promise<InterfaceRow> {
    const { host, sealer, settings, clock } = this.#dependencies
    if ((await store.findInterfaceRow(this.#db, input.name)) !== undefined)
      throw conflict('name', `The interface ${input.name} exists`)
    const port = input.listen_port ?? (await freePortOn(this.#db, host, hostsOf(input)))
    const context = { sealer, settings: settings(), now: clock.now(), ...(keys === undefined ? {} : { keys }) }
    const row = newInterfaceRow({ ...input, listen_port: port }, context)
    await checkPlace(this.#db, host, { after: row, allowHostOverlap: input.allow_host_overlap === true })
    return row
  }

  /** Notes for the peers which of their configurations lead elsewhere now. */
  async #noteEndpoints(before: InterfaceRow, after: InterfaceRow): Promise<void> {
    const now = this.#dependencies.clock.now()
    if (await this.#hasOtherEndpoint(before, after)) await store.noteEndpointChange(this.#db, after.name, now)
    const [was, is] = [before, after].map((row) => row.standby_node_id)
    const isOther = was !== is || before.listen_port !== after.listen_port
    if (isOther && (was !== null || is !== null))
      await store.noteStandbyChange(this.#db, after.name, is === null ? null : now)
  }

  async #hasOtherEndpoint(before: InterfaceRow, after: InterfaceRow): Promise<boolean> {
    if (before.listen_port !== after.listen_port) return true
    if (before.node_id === after.node_id) return false
    const [was, is] = await Promise.all([before, after].map((row) => this.#dependencies.endpointOf(row.node_id)))
    return was === undefined || was !== is
  }

  async #find(name: string): Promise<InterfaceRow> {
    const row = await store.findInterfaceRow(this.#db, name)
    if (row === undefined) throw notFound(`interface ${name}`)
    return row
  }

  #view(row: store.InterfaceSummaryRow): Interface {
    const { sampler, tunnels, standbyState } = this.#dependencies
    const states = { state: tunnels.state(row.name), standby: standbyState(row.name) }
    return interfaceOfRow(row, states, sampler.peersOf(row.name))
  }

  #peersOf(name: string): string[] {
    return this.#dependencies.sampler.peersOf(name).map(({ id }) => id)
  }
}
