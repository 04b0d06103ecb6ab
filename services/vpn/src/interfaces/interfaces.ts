import type { Sealer } from '@hearth/credentials'
import { takeTurn, type Database, type Page } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { namedConflict } from '../conflicts.ts'
import type { InterfaceRow, Tables } from '../database/tables.ts'
import type { Sampler } from '../peers/sampler.ts'
import { conflict, notFound, tunnelProblem } from '../problems.ts'
import type { Settings } from '../settings/schema.ts'
import type { TunnelChanges, Tunnels } from '../wireguard/tunnels.ts'
import type { DesiredDevices } from './desired-devices.ts'
import { interfaceOfRow } from './interface-view.ts'
import { checkHostNetworks, checkNetworks, checkPeersFit } from './network-checks.ts'
import { changedInterfaceRow, newInterfaceRow } from './new-interface.ts'
import { firstFreePort, type HostLinks } from './host-links.ts'
import type { Interface, InterfaceCreate, InterfaceUpdate } from './schema.ts'
import * as store from './store.ts'

export interface InterfaceParts {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly settings: () => Settings
  readonly tunnels: Pick<Tunnels, 'exclusively' | 'state'>
  readonly desired: DesiredDevices
  readonly sampler: Sampler
  readonly host: HostLinks
  /** Called after every change of an interface; resolves when the resolver goes by it. */
  readonly onChanged: () => Promise<void>
}

/** The turn of transactions that check networks against each other. */
const networkTurn = 1

/** What no two interfaces share. */
const uniqueMembers = ['listen_port', 'name']

/** The tunnel interfaces: every change is in the database and on the machine, or in neither. */
export class Interfaces {
  readonly #parts: InterfaceParts
  readonly #db: Kysely<Tables>

  constructor(parts: InterfaceParts) {
    this.#parts = parts
    this.#db = parts.database.query
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

  async create(input: InterfaceCreate): Promise<Interface> {
    await this.#parts.tunnels.exclusively(input.name, async (tunnel) => {
      const row = await this.#newRow(input)
      if (input.allow_host_overlap !== true) await checkHostNetworks(this.#db, row, await this.#parts.host.networks())
      await namedConflict('interface', uniqueMembers, () =>
        this.#db.transaction().execute(async (trx) => {
          await takeTurn(this.#parts.database.kind, trx, networkTurn)
          await checkNetworks(trx, row)
          await store.insertInterfaceRow(trx, row)
        }),
      )
      await this.#bring(tunnel, row, async () => void (await store.deleteInterfaceRow(this.#db, row.name)))
    })
    await this.#parts.onChanged()
    return this.get(input.name)
  }

  async update(name: string, changes: InterfaceUpdate): Promise<Interface> {
    await this.#parts.tunnels.exclusively(name, async (tunnel) => {
      const before = await this.#find(name)
      const after = changedInterfaceRow(before, changes, this.#parts.clock.now())
      if (after.listen_port !== before.listen_port) await this.#checkPort(after.listen_port)
      const isMoved = after.address !== before.address || after.address6 !== before.address6
      if (isMoved && changes.allow_host_overlap !== true) {
        await checkHostNetworks(this.#db, after, await this.#parts.host.networks())
      }
      await namedConflict('interface', uniqueMembers, () =>
        this.#db.transaction().execute(async (trx) => {
          await takeTurn(this.#parts.database.kind, trx, networkTurn)
          await checkNetworks(trx, after)
          await checkPeersFit(trx, after)
          await store.updateInterfaceRow(trx, name, after)
        }),
      )
      await this.#bring(tunnel, after, async () => {
        await store.updateInterfaceRow(this.#db, name, before)
        if (before.enabled === 1) await this.#bringDesired(tunnel, name).catch(() => undefined)
      })
      this.#parts.sampler.interfaceChanged(after)
    })
    await this.#parts.onChanged()
    return this.get(name)
  }

  /** Takes the interface down and deletes it with its peers. */
  async remove(name: string): Promise<{ name: string; deleted_peers: number }> {
    const removed = await this.#parts.tunnels.exclusively(name, async (tunnel) => {
      await this.#find(name)
      const ids = this.#peersOf(name)
      await tunnel.take(name).catch((error: unknown) => {
        throw tunnelProblem(error)
      })
      const deleted = await this.#db.transaction().execute((trx) => store.deleteInterfaceRow(trx, name))
      for (const id of ids) this.#parts.sampler.forget(id)
      return { name, deleted_peers: deleted }
    })
    await this.#parts.onChanged()
    return removed
  }

  /** Brings the machine to what the row says; puts the database back when that fails. */
  async #bring(tunnel: TunnelChanges, row: InterfaceRow, undo: () => Promise<void>): Promise<void> {
    try {
      if (row.enabled === 1) await this.#bringDesired(tunnel, row.name)
      else {
        await this.#parts.sampler.sampleInterface(row.name)
        await tunnel.take(row.name)
        await this.#parts.sampler.restart(this.#peersOf(row.name))
      }
    } catch (error) {
      await undo()
      throw tunnelProblem(error)
    }
  }

  async #bringDesired(tunnel: TunnelChanges, name: string): Promise<void> {
    const [device] = await this.#parts.desired.read(name)
    if (device !== undefined) await tunnel.bring(device)
  }

  async #newRow(input: InterfaceCreate): Promise<InterfaceRow> {
    const { host, sealer, settings, clock } = this.#parts
    if ((await store.findInterfaceRow(this.#db, input.name)) !== undefined)
      throw conflict('name', `The interface ${input.name} exists`)
    const port = input.listen_port ?? (await firstFreePort(this.#db, host))
    const row = newInterfaceRow({ ...input, listen_port: port }, { sealer, settings: settings(), now: clock.now() })
    if (await host.isTaken(row.name)) throw conflict('name', `This host has a network interface ${row.name} already`)
    await this.#checkPort(row.listen_port)
    return row
  }

  async #checkPort(port: number): Promise<void> {
    const owner = await this.#db
      .selectFrom('interfaces')
      .select('name')
      .where('listen_port', '=', port)
      .executeTakeFirst()
    if (owner !== undefined) throw conflict('listen_port', `The port ${port} belongs to ${owner.name}`)
    if (!(await this.#parts.host.isPortFree(port)))
      throw conflict('listen_port', `Another program on this host uses the UDP port ${port}`)
  }

  async #find(name: string): Promise<InterfaceRow> {
    const row = await store.findInterfaceRow(this.#db, name)
    if (row === undefined) throw notFound(`interface ${name}`)
    return row
  }

  #view(row: store.InterfaceSummaryRow): Interface {
    const peers = [...this.#parts.sampler.peers()].filter((peer) => peer.interface === row.name)
    return interfaceOfRow(row, { state: this.#parts.tunnels.state(row.name), peers, now: this.#parts.clock.now() })
  }

  #peersOf(name: string): string[] {
    return [...this.#parts.sampler.peers()].flatMap((peer) => (peer.interface === name ? [peer.id] : []))
  }
}
