import type { Sealer } from '@hearth/credentials'
import type { Database, Page } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Caller } from '../access.ts'
import type { AccessInForce } from '../access-rules/access-in-force.ts'
import { namedConflict, type Problem } from '../problems.ts'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'
import type { DesiredDevices } from '../interfaces/desired-devices.ts'
import { updateInterfaceRow } from '../interfaces/store.ts'
import type { HostLinks } from '../interfaces/host-links.ts'
import type { PeerLimits } from '../limits/peer-limits.ts'
import type { Quotas } from '../quotas/quotas.ts'
import { SiteRoutes } from '../site-networks/networks-of-others.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import { applyToDevice, takeBackFromDevice } from './apply-to-device.ts'
import { findInterface, findPeer } from './found-rows.ts'
import { changedPeerColumns, newPeerRow, uniqueMembers, type PeerDefaults, type NewPeerContext } from './new-peer.ts'
import { changeManyPeers } from './bulk-changes.ts'
import type { PeerBulkChange } from './bulk-schema.ts'
import { alterManyPeers, type PeerAlteration } from './many-altered-peers.ts'
import { createManyPeers, type CreationOutcome, type NewPeer } from './many-new-peers.ts'
import type { Sampler } from './sampler.ts'
import { countTags, type TagCount } from './tags.ts'
import type { Peer, PeerCreate, PeerListQuery, PeerUpdate } from './schema.ts'
import * as store from './store.ts'
import { peerOfRow } from './peer-view.ts'

/** The role of the caller; only administrators see where peers connect from. */
type Viewer = Pick<Caller, 'role'>

/** What peers stand on. */
export interface PeerDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly settings: () => PeerDefaults & { readonly expiry_warning_days: number }
  readonly tunnels: Pick<Tunnels, 'withLock' | 'state'>
  readonly desired: DesiredDevices
  readonly sampler: Sampler
  readonly limits: Pick<PeerLimits, 'changed' | 'reload'>
  readonly access: Pick<AccessInForce, 'during' | 'reload'>
  readonly quotas: Pick<Quotas, 'view'>
  /** Called after every change of peers; resolves when the resolver uses it. */
  readonly onChanged: (ids: readonly string[]) => Promise<void>
  readonly host: Pick<HostLinks, 'networks'>
}

const administrator: Viewer = { role: 'admin' }

/** The peers of all interfaces: every change is in the database and on the device, or in neither. */
export class Peers {
  readonly #dependencies: PeerDependencies
  readonly #db: Kysely<Tables>

  constructor(dependencies: PeerDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
  }

  async list(viewer: Viewer, query: PeerListQuery): Promise<Page<Peer>> {
    const now = this.#dependencies.clock.now()
    const expiresUntil = query.expires_soon && now + this.#warningDays * 86_400_000
    const routes = await SiteRoutes.read(this.#db)
    const outdated = query.needs_configuration && routes.outdated()
    const { rows, total } = await store.listPeerRows(this.#db, { ...query, expiresUntil, outdated }, now)
    return { rows: rows.map((row) => this.#view(viewer, row, { now, routes })), total }
  }

  async get(viewer: Viewer, id: string): Promise<Peer> {
    return this.#view(viewer, await findPeer(this.#db, id), await this.#viewContext())
  }

  async create(input: PeerCreate): Promise<Peer> {
    await findInterface(this.#db, input.interface)
    const row = await this.#dependencies.tunnels.withLock(input.interface, async (tunnel) => {
      const { added, on } = await namedConflict('peer', uniqueMembers, () =>
        this.#db.transaction().execute((trx) => this.#insert(trx, input)),
      )
      const undo = () => store.deletePeerRow(this.#db, added.id)
      await applyToDevice(this.#dependencies, tunnel, { on, peers: [{ before: undefined, after: added }], undo })
      this.#dependencies.sampler.follow(added, on)
      return added
    })
    // A peer sends no query before its first handshake, so this is not awaited; a failure is logged.
    this.#dependencies.onChanged([row.id]).catch(() => undefined)
    return this.get(administrator, row.id)
  }

  update(id: string, changes: PeerUpdate): Promise<Peer> {
    return this.alter(id, (trx, row, on) => changedPeerColumns(trx, { row, on }, { changes, context: this.#context }))
  }

  /** Changes columns of a peer, in the database and on the device or in neither. */
  async alter(
    id: string,
    columnsOf: (trx: Kysely<Tables>, row: PeerRow, on: InterfaceRow) => Promise<Partial<PeerRow>>,
  ): Promise<Peer> {
    const known = await findPeer(this.#db, id)
    await this.#dependencies.tunnels.withLock(known.interface, async (tunnel) => {
      const { before, after, on } = await namedConflict('peer', uniqueMembers, () =>
        this.#db.transaction().execute((trx) => changeRow(trx, id, columnsOf)),
      )
      const undo = () => store.updatePeerRow(this.#db, id, before)
      await applyToDevice(this.#dependencies, tunnel, { on, peers: [{ before, after }], undo })
      this.#dependencies.sampler.follow(after, on)
    })
    await this.#dependencies.onChanged([id])
    return this.get(administrator, id)
  }

  /** Words about peers of the same interface that need their configuration again; empty when none does. */
  async outdatedNote({ interface: on }: Pick<Peer, 'interface'>): Promise<string> {
    const outdated = (await SiteRoutes.read(this.#db)).outdated()
    const count = await store.countOutdatedPeers(this.#db, on, outdated)
    if (count === 0) return ''
    return `; ${count} ${count === 1 ? 'peer needs its' : 'peers need their'} configuration again`
  }

  /** Changes many peers as one; see `changeManyPeers`. */
  changeMany(change: PeerBulkChange): Promise<number> {
    return changeManyPeers(this.#dependencies, change)
  }

  /** Creates many peers as one; see `createManyPeers`. */
  createMany(inputs: readonly NewPeer[], options: { readonly isTrial: boolean }): Promise<CreationOutcome[]> {
    return createManyPeers({ ...this.#dependencies, context: this.#context }, inputs, options)
  }

  /** Changes many peers, each in its own way, as one; see `alterManyPeers`. */
  alterMany(alterations: readonly PeerAlteration[]): Promise<(Problem | undefined)[]> {
    return alterManyPeers({ ...this.#dependencies, context: this.#context }, alterations)
  }

  /** Every tag that peers have, with their number. */
  async tags(): Promise<TagCount[]> {
    return countTags(await store.countPeersByTags(this.#db))
  }

  async remove(id: string): Promise<Peer> {
    const known = await findPeer(this.#db, id)
    const removed = await this.#dependencies.tunnels.withLock(known.interface, async (tunnel) => {
      const row = await findPeer(this.#db, id)
      const on = await findInterface(this.#db, row.interface)
      // Off the device first: were it the other way round, a failure would leave a peer with access and without a record.
      const peers = [{ before: peerColumns(row), after: undefined }]
      await applyToDevice(this.#dependencies, tunnel, { on, peers, undo: () => Promise.resolve() })
      try {
        await this.#db.transaction().execute((trx) => deleteRow(trx, row))
      } catch (error) {
        await takeBackFromDevice(this.#dependencies, tunnel, { on, peers })
        throw error
      }
      this.#dependencies.sampler.forget(id)
      return this.#view(administrator, row, await this.#viewContext())
    })
    await this.#dependencies.onChanged([id])
    return removed
  }

  async #insert(trx: Kysely<Tables>, input: PeerCreate): Promise<{ added: PeerRow; on: InterfaceRow }> {
    const on = await findInterface(trx, input.interface)
    const added = await newPeerRow(trx, on, { input, context: this.#context })
    await store.insertPeerRow(trx, added)
    if (input.ip === undefined) await updateInterfaceRow(trx, on.name, { next_host: added.ip_number + 1 })
    return { added, on }
  }

  async #viewContext(): Promise<{ now: number; routes: SiteRoutes }> {
    return { now: this.#dependencies.clock.now(), routes: await SiteRoutes.read(this.#db) }
  }

  #view(
    viewer: Viewer,
    row: store.PeerWithActivityRow,
    { now, routes }: { readonly now: number; readonly routes: SiteRoutes },
  ): Peer {
    return peerOfRow(row, {
      now,
      isOutdated: routes.isOutdated(row) || store.hasOtherEndpoint(row),
      isStandbyOutdated: row.standby_changed_at !== null,
      warningDays: this.#warningDays,
      showEndpoint: viewer.role === 'admin',
      followed: this.#dependencies.sampler.peer(row.id),
      quota: this.#dependencies.quotas.view(row.id),
    })
  }

  get #warningDays(): number {
    return this.#dependencies.settings().expiry_warning_days
  }

  get #context(): NewPeerContext {
    const { sealer, settings, clock, host, database } = this.#dependencies
    return { sealer, settings, now: clock.now(), networks: { kind: database.kind, host } }
  }
}

async function deleteRow(trx: Kysely<Tables>, row: PeerRow): Promise<void> {
  await store.deletePeerRow(trx, row.id)
  // Its address is reused as late as the network allows, also when it was chosen by hand.
  const { next_host } = await findInterface(trx, row.interface)
  await updateInterfaceRow(trx, row.interface, { next_host: Math.max(next_host, row.ip_number + 1) })
}

async function changeRow(
  trx: Kysely<Tables>,
  id: string,
  columnsOf: Parameters<Peers['alter']>[1],
): Promise<{ before: PeerRow; after: PeerRow; on: InterfaceRow }> {
  const before = peerColumns(await findPeer(trx, id))
  const on = await findInterface(trx, before.interface)
  const columns = await columnsOf(trx, before, on)
  if (Object.keys(columns).length > 0) await store.updatePeerRow(trx, id, columns)
  return { before, after: { ...before, ...columns }, on }
}

/** The stored columns without what was joined to them. */
function peerColumns(row: store.PeerWithActivityRow): PeerRow {
  const { last_handshake: _, endpoint: _e, rx_total: _r, tx_total: _t, interface_enabled: _i, ...columns } = row
  return columns
}
