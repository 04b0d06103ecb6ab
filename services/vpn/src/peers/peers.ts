import type { Sealer } from '@hearth/credentials'
import type { Database, Page } from '@hearth/database'
import { type Clock, toIsoString } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Caller } from '../access.ts'
import type { AccessInForce } from '../access-rules/access-in-force.ts'
import { invalidField, namedConflict, notFound } from '../problems.ts'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'
import { type DesiredDevices, sealContext } from '../interfaces/desired-devices.ts'
import { findInterfaceRow, updateInterfaceRow } from '../interfaces/store.ts'
import { limitView, type PeerLimits } from '../limits/peer-limits.ts'
import type { Quotas } from '../quotas/quotas.ts'
import type { PeerQuota } from '../quotas/schema.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import { applyToDevice } from './apply-to-device.ts'
import { encodeConfiguration, routedNetworks } from './config-text.ts'
import { changedPeerColumns, newPeerRow, uniqueMembers, type PeerDefaults, type NewPeerContext } from './new-peer.ts'
import { changeManyPeers } from './bulk-changes.ts'
import type { PeerBulkChange } from './bulk-schema.ts'
import { createManyPeers, type CreationOutcome } from './many-new-peers.ts'
import type { Sampler } from './sampler.ts'
import { countTags, type TagCount, tagsOf } from './tags.ts'
import type { Peer, PeerCreate, PeerListQuery, PeerUpdate } from './schema.ts'
import * as store from './store.ts'
import { expiresWithin, type FollowedPeer, isExpired, peerStatus } from './followed-peer.ts'

/** The role of the caller; only administrators see where peers connect from. */
type Viewer = Pick<Caller, 'role'>

export interface PeerDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly settings: () => PeerDefaults & { readonly expiry_warning_days: number }
  readonly tunnels: Pick<Tunnels, 'withLock' | 'state'>
  readonly desired: DesiredDevices
  readonly sampler: Sampler
  readonly limits: Pick<PeerLimits, 'changed'>
  readonly access: Pick<AccessInForce, 'during'>
  readonly quotas: Pick<Quotas, 'view'>
  /** Called after every change of peers; resolves when the resolver uses it. */
  readonly onChanged: (ids: readonly string[]) => Promise<void>
  /** The host of the `Endpoint` line; `host` is the one the request was sent to. */
  readonly publicEndpoint: (host: string) => string
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
    const { rows, total } = await store.listPeerRows(this.#db, { ...query, expiresUntil }, now)
    return { rows: rows.map((row) => this.#view(viewer, row, now)), total }
  }

  async get(viewer: Viewer, id: string): Promise<Peer> {
    return this.#view(viewer, await findPeer(this.#db, id), this.#dependencies.clock.now())
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

  async update(id: string, changes: PeerUpdate): Promise<Peer> {
    const known = await findPeer(this.#db, id)
    await this.#dependencies.tunnels.withLock(known.interface, async (tunnel) => {
      const { before, after, on } = await namedConflict('peer', uniqueMembers, () =>
        this.#db.transaction().execute((trx) => this.#change(trx, id, changes)),
      )
      const undo = () => store.updatePeerRow(this.#db, id, before)
      await applyToDevice(this.#dependencies, tunnel, { on, peers: [{ before, after }], undo })
      this.#dependencies.sampler.follow(after, on)
    })
    await this.#dependencies.onChanged([id])
    return this.get(administrator, id)
  }

  /** Changes many peers as one; see `changeManyPeers`. */
  changeMany(change: PeerBulkChange): Promise<number> {
    return changeManyPeers(this.#dependencies, change)
  }

  /** Creates many peers as one; see `createManyPeers`. */
  createMany(inputs: readonly PeerCreate[], options: { readonly isTrial: boolean }): Promise<CreationOutcome[]> {
    return createManyPeers({ ...this.#dependencies, context: this.#context }, inputs, options)
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
      await applyToDevice(this.#dependencies, tunnel, {
        on,
        peers: [{ before: peerColumns(row), after: undefined }],
        undo: () => Promise.resolve(),
      })
      await this.#db.transaction().execute(async (trx) => {
        await store.deletePeerRow(trx, id)
        // Its address is reused as late as the network allows, also when it was chosen by hand.
        const { next_host } = await findInterface(trx, row.interface)
        await updateInterfaceRow(trx, row.interface, { next_host: Math.max(next_host, row.ip_number + 1) })
      })
      this.#dependencies.sampler.forget(id)
      return this.#view(administrator, row, this.#dependencies.clock.now())
    })
    await this.#dependencies.onChanged([id])
    return removed
  }

  /** The text of the device's configuration; `host` is used when no public endpoint is set. A secret. */
  async configuration(id: string, host: string): Promise<{ name: string; text: string }> {
    const row = await findPeer(this.#db, id)
    const on = await findInterface(this.#db, row.interface)
    const { sealer, publicEndpoint } = this.#dependencies
    const open = (sealed: string | null, place: string) => (sealed === null ? null : sealer.open(sealed, place))
    const listed = JSON.parse(row.allowed_ips) as string[]
    const dns = resolversOf(on)
    const text = encodeConfiguration({
      name: row.name,
      privateKey: open(row.private_key, sealContext.peerKey(id)),
      ip: row.ip,
      ipv6: row.ipv6,
      dns,
      mtu: on.mtu,
      serverPublicKey: on.public_key,
      presharedKey: open(row.preshared_key, sealContext.presharedKey(id)),
      endpointHost: publicEndpoint(host),
      endpointPort: on.listen_port,
      allowedIps: routedNetworks(row.routing_mode, listed, { ...on, dns }),
      persistentKeepalive: row.persistent_keepalive,
    })
    return { name: row.name, text }
  }

  async #insert(trx: Kysely<Tables>, input: PeerCreate): Promise<{ added: PeerRow; on: InterfaceRow }> {
    const on = await findInterface(trx, input.interface)
    const added = await newPeerRow(trx, on, { input, context: this.#context })
    await store.insertPeerRow(trx, added)
    if (input.ip === undefined) await updateInterfaceRow(trx, on.name, { next_host: added.ip_number + 1 })
    return { added, on }
  }

  async #change(
    trx: Kysely<Tables>,
    id: string,
    changes: PeerUpdate,
  ): Promise<{ before: PeerRow; after: PeerRow; on: InterfaceRow }> {
    const before = peerColumns(await findPeer(trx, id))
    const on = await findInterface(trx, before.interface)
    const columns = await changedPeerColumns(trx, { row: before, on }, { changes, context: this.#context })
    await store.updatePeerRow(trx, id, columns)
    return { before, after: { ...before, ...columns }, on }
  }

  #view(viewer: Viewer, row: store.PeerWithActivityRow, now: number): Peer {
    return peerOfRow(row, {
      now,
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
    const { sealer, settings, clock } = this.#dependencies
    return { sealer, settings, now: clock.now() }
  }
}

/** The interface's resolvers; without any, the one of this service, at the interface's own addresses. */
function resolversOf(on: InterfaceRow): string {
  if (on.dns !== '') return on.dns
  const own = [on.address, on.address6].flatMap((cidr) => (cidr === null ? [] : [cidr.split('/')[0] ?? '']))
  return own.join(', ')
}

async function findPeer(db: Kysely<Tables>, id: string): Promise<store.PeerWithActivityRow> {
  const row = await store.findPeerRow(db, id)
  if (row === undefined) throw notFound(`peer ${id}`)
  return row
}

async function findInterface(db: Kysely<Tables>, name: string): Promise<InterfaceRow> {
  const row = await findInterfaceRow(db, name)
  if (row === undefined) throw invalidField('interface', 'does not exist', 'unknown')
  return row
}

/** The stored columns without what was joined to them. */
function peerColumns(row: store.PeerWithActivityRow): PeerRow {
  const { last_handshake: _, endpoint: _e, rx_total: _r, tx_total: _t, interface_enabled: _i, ...columns } = row
  return columns
}

interface ViewContext {
  readonly now: number
  readonly warningDays: number
  readonly showEndpoint: boolean
  readonly followed: FollowedPeer | undefined
  readonly quota: PeerQuota | null
}

/**
 * The wire form of a peer. No key but the public one is in it. `followed` has the latest counters, which the stored ones trail
 * by up to half a minute.
 */
function peerOfRow(
  row: store.PeerWithActivityRow,
  { now, warningDays, showEndpoint, followed, quota }: ViewContext,
): Peer {
  const status = peerStatus(row, now)
  return {
    id: row.id,
    name: row.name,
    interface: row.interface,
    ip: row.ip,
    ipv6: row.ipv6,
    routing_mode: row.routing_mode,
    allowed_ips: JSON.parse(row.allowed_ips) as string[],
    persistent_keepalive: row.persistent_keepalive,
    enabled: row.enabled === 1,
    status,
    connected: status === 'active',
    last_handshake: toIsoString(row.last_handshake),
    transfer_tx: followed?.activity.tx_total ?? row.tx_total,
    transfer_rx: followed?.activity.rx_total ?? row.rx_total,
    endpoint: showEndpoint ? (followed?.activity.endpoint ?? row.endpoint) : null,
    public_key: row.public_key,
    has_private_key: row.private_key !== null,
    has_preshared_key: row.preshared_key !== null,
    client_isolation: row.client_isolation === 1,
    use_adblocker: row.dns_filtering === 1,
    blocklist_ids: row.dns_lists === null ? null : (JSON.parse(row.dns_lists) as string[]),
    dns_logging_enabled: row.dns_logging === 1,
    ...limitView(row),
    quota,
    tags: tagsOf(row),
    expires_at: toIsoString(row.expires_at),
    expired: isExpired(row.expires_at, now),
    expires_soon: expiresWithin(row, warningDays, now),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}
