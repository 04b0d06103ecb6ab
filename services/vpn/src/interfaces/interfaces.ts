import type { Sealer } from '@hearth/credentials'
import type { Database, Page } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { conflict, namedConflict, notFound, tunnelProblem } from '../problems.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import type { TunnelChanges, Tunnels } from '../wireguard/tunnels.ts'
import type { DesiredDevices } from './desired-devices.ts'
import { checkHostNetworks, checkNetworks, checkPeersFit, lockNetworks } from './network-checks.ts'
import { changedInterfaceRow, type InterfaceDefaults, type KeyPair, newInterfaceRow } from './new-interface.ts'
import { firstFreePort, type HostLinks } from './host-links.ts'
import type { Interface, InterfaceCreate, InterfaceUpdate } from './schema.ts'
import * as store from './store.ts'
import type { TunnelState } from '../wireguard/tunnel-controller.ts'
import type { InterfaceSummaryRow } from './store.ts'

export interface InterfaceDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly settings: () => InterfaceDefaults
  readonly tunnels: Pick<Tunnels, 'withLock' | 'state'>
  readonly desired: DesiredDevices
  readonly sampler: InterfaceSampler
  readonly host: HostLinks
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
      if (input.allow_host_overlap !== true)
        await checkHostNetworks(this.#db, row, await this.#dependencies.host.networks())
      await namedConflict('interface', interfaceMembers, () =>
        this.#db.transaction().execute(async (trx) => {
          await lockNetworks(this.#dependencies.database.kind, trx)
          await checkNetworks(trx, row)
          await store.insertInterfaceRow(trx, row)
        }),
      )
      await this.#bring(tunnel, row, async () => void (await store.deleteInterfaceRow(this.#db, row.name)))
    })
    await this.#dependencies.onChanged()
    return this.get(input.name)
  }

  async update(name: string, changes: InterfaceUpdate): Promise<Interface> {
    await this.#dependencies.tunnels.withLock(name, async (tunnel) => {
      const before = await this.#find(name)
      const after = changedInterfaceRow(before, changes, this.#dependencies.clock.now())
      if (after.listen_port !== before.listen_port) await this.#checkPort(after.listen_port)
      const isMoved = after.address !== before.address || after.address6 !== before.address6
      if (isMoved && changes.allow_host_overlap !== true) {
        await checkHostNetworks(this.#db, after, await this.#dependencies.host.networks())
      }
      await namedConflict('interface', interfaceMembers, () =>
        this.#db.transaction().execute(async (trx) => {
          await lockNetworks(this.#dependencies.database.kind, trx)
          await checkNetworks(trx, after)
          await checkPeersFit(trx, after)
          await store.updateInterfaceRow(trx, name, after)
        }),
      )
      await this.#bring(tunnel, after, async () => {
        await store.updateInterfaceRow(this.#db, name, before)
        if (before.enabled === 1) await this.#bringDesired(tunnel, name).catch(() => undefined)
      })
      this.#dependencies.sampler.interfaceChanged(after)
    })
    await this.#dependencies.onChanged()
    return this.get(name)
  }

  /** Takes the interface down and deletes it with its peers. */
  async remove(name: string): Promise<{ name: string; deleted_peers: number }> {
    const removed = await this.#dependencies.tunnels.withLock(name, async (tunnel) => {
      await this.#find(name)
      const ids = this.#peersOf(name)
      await tunnel.take(name).catch((error: unknown) => {
        throw tunnelProblem(error)
      })
      const deleted = await this.#db.transaction().execute((trx) => store.deleteInterfaceRow(trx, name))
      for (const id of ids) this.#dependencies.sampler.forget(id)
      return { name, deleted_peers: deleted }
    })
    await this.#dependencies.onChanged()
    return removed
  }

  /** Brings the machine to what the row says; puts the database back when that fails. */
  async #bring(tunnel: TunnelChanges, row: InterfaceRow, undo: () => Promise<void>): Promise<void> {
    try {
      if (row.enabled === 1) await this.#bringDesired(tunnel, row.name)
      else {
        await this.#dependencies.sampler.sampleInterface(row.name)
        await tunnel.take(row.name)
        await this.#dependencies.sampler.restart(this.#peersOf(row.name))
      }
    } catch (error) {
      await undo()
      throw tunnelProblem(error)
    }
  }

  async #bringDesired(tunnel: TunnelChanges, name: string): Promise<void> {
    const [device] = await this.#dependencies.desired.read(name)
    if (device !== undefined) await tunnel.bring(device)
  }

  async #newRow(input: InterfaceCreate, keys: KeyPair | undefined): Promise<InterfaceRow> {
    const { host, sealer, settings, clock } = this.#dependencies
    if ((await store.findInterfaceRow(this.#db, input.name)) !== undefined)
      throw conflict('name', `The interface ${input.name} exists`)
    const port = input.listen_port ?? (await firstFreePort(this.#db, host))
    const context = { sealer, settings: settings(), now: clock.now(), ...(keys === undefined ? {} : { keys }) }
    const row = newInterfaceRow({ ...input, listen_port: port }, context)
    if (await host.isTaken(row.name)) throw conflict('name', `This host has a network interface ${row.name} already`)
    await this.#checkPort(row.listen_port)
    return row
  }

  async #checkPort(port: number): Promise<void> {
    const owner = (await store.allInterfaceRows(this.#db)).find((row) => row.listen_port === port)
    if (owner !== undefined) throw conflict('listen_port', `The port ${port} belongs to ${owner.name}`)
    if (!(await this.#dependencies.host.isPortFree(port)))
      throw conflict('listen_port', `Another program on this host uses the UDP port ${port}`)
  }

  async #find(name: string): Promise<InterfaceRow> {
    const row = await store.findInterfaceRow(this.#db, name)
    if (row === undefined) throw notFound(`interface ${name}`)
    return row
  }

  #view(row: store.InterfaceSummaryRow): Interface {
    const { sampler, tunnels } = this.#dependencies
    return interfaceOfRow(row, tunnels.state(row.name), sampler.peersOf(row.name))
  }

  #peersOf(name: string): string[] {
    return this.#dependencies.sampler.peersOf(name).map(({ id }) => id)
  }
}

/** A peer's part of the figures of its interface; bytes are the totals since it was created. */
interface InterfacePeer {
  readonly id: string
  readonly isConnected: boolean
  readonly rxTotal: number
  readonly txTotal: number
}

/** Returns the wire form of an interface, with the sums of its peers. It never contains the private key. */
function interfaceOfRow(row: InterfaceSummaryRow, state: TunnelState, peers: readonly InterfacePeer[]): Interface {
  return {
    name: row.name,
    address: row.address,
    address6: row.address6,
    listen_port: row.listen_port,
    dns: row.dns,
    mtu: row.mtu,
    nat: row.nat === 1,
    forwarding: row.forwarding === 1,
    enabled: row.enabled === 1,
    status: state.status === 'error' ? 'error' : state.status === 'up' ? 'active' : 'inactive',
    status_reason: state.reason,
    public_key: row.public_key,
    peer_count: row.peer_count,
    connected_peers: peers.filter((peer) => peer.isConnected).length,
    transfer_rx: peers.reduce((sum, peer) => sum + peer.rxTotal, 0),
    transfer_tx: peers.reduce((sum, peer) => sum + peer.txTotal, 0),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}
