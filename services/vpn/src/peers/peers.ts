import type { Sealer } from '@hearth/credentials'
import type { Database, Page } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { namedConflict } from '../conflicts.ts'
import type { InterfaceRow, PeerRow, Tables } from '../database/tables.ts'
import { sealedPlace, type DesiredDevices } from '../interfaces/desired-devices.ts'
import { findInterfaceRow, updateInterfaceRow } from '../interfaces/store.ts'
import { invalidField, notFound } from '../problems.ts'
import type { Settings } from '../settings/schema.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import { applyToDevice } from './apply-to-device.ts'
import { encodeConfiguration, routedNetworks } from './config-text.ts'
import { changedPeerColumns, newPeerRow, type PeerMaking } from './new-peer.ts'
import { peerOfRow } from './peer-view.ts'
import type { Sampler } from './sampler.ts'
import type { Peer, PeerCreate, PeerListQuery, PeerUpdate } from './schema.ts'
import * as store from './store.ts'

/** Who looks; others than administrators are not told where peers connect from. */
export interface Viewer {
  readonly role: 'admin' | 'user'
}

export interface PeerParts {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly settings: () => Settings
  readonly tunnels: Pick<Tunnels, 'exclusively' | 'state'>
  readonly desired: DesiredDevices
  readonly sampler: Sampler
  /** Called after every change of a peer; resolves when the resolver goes by it. */
  readonly onChanged: (id: string) => Promise<void>
  /** The host of the `Endpoint` line; `host` is the one the request was sent to. */
  readonly publicEndpoint: (host: string) => string
}

/** What no two peers share. */
const uniqueMembers = ['name', 'ipv6', 'ip', 'public_key']

const administrator: Viewer = { role: 'admin' }

/** The peers of all interfaces: every change is in the database and on the device, or in neither. */
export class Peers {
  readonly #parts: PeerParts
  readonly #db: Kysely<Tables>

  constructor(parts: PeerParts) {
    this.#parts = parts
    this.#db = parts.database.query
  }

  async list(viewer: Viewer, query: PeerListQuery): Promise<Page<Peer>> {
    const now = this.#parts.clock.now()
    const { rows, total } = await store.listPeerRows(this.#db, query, now)
    return { rows: rows.map((row) => this.#view(viewer, row, now)), total }
  }

  async get(viewer: Viewer, id: string): Promise<Peer> {
    return this.#view(viewer, await findPeer(this.#db, id), this.#parts.clock.now())
  }

  async create(input: PeerCreate): Promise<Peer> {
    await findInterface(this.#db, input.interface)
    const row = await this.#parts.tunnels.exclusively(input.interface, async (tunnel) => {
      const { added, on } = await namedConflict('peer', uniqueMembers, () =>
        this.#db.transaction().execute((trx) => this.#insert(trx, input)),
      )
      const undo = () => store.deletePeerRow(this.#db, added.id)
      await applyToDevice(this.#parts, tunnel, { on, before: undefined, after: added, undo })
      this.#parts.sampler.follow(added, on)
      return added
    })
    // Nothing is asked before the first handshake, so this needs no waiting; the resolver says when it fails.
    this.#parts.onChanged(row.id).catch(() => undefined)
    return this.get(administrator, row.id)
  }

  async update(id: string, changes: PeerUpdate): Promise<Peer> {
    const known = await findPeer(this.#db, id)
    await this.#parts.tunnels.exclusively(known.interface, async (tunnel) => {
      const { before, after, on } = await namedConflict('peer', uniqueMembers, () =>
        this.#db.transaction().execute((trx) => this.#change(trx, id, changes)),
      )
      const undo = () => store.updatePeerRow(this.#db, id, before)
      await applyToDevice(this.#parts, tunnel, { on, before, after, undo })
      this.#parts.sampler.follow(after, on)
    })
    await this.#parts.onChanged(id)
    return this.get(administrator, id)
  }

  async remove(id: string): Promise<Peer> {
    const known = await findPeer(this.#db, id)
    const removed = await this.#parts.tunnels.exclusively(known.interface, async (tunnel) => {
      const row = await findPeer(this.#db, id)
      const on = await findInterface(this.#db, row.interface)
      // Off the device first: were it the other way round, a failure would leave a peer with access and without a record.
      await applyToDevice(this.#parts, tunnel, {
        on,
        before: peerColumns(row),
        after: undefined,
        undo: () => Promise.resolve(),
      })
      await this.#db.transaction().execute(async (trx) => {
        await store.deletePeerRow(trx, id)
        // Its address is given out again as late as the network allows, also when it was chosen by hand.
        const { next_host } = await findInterface(trx, row.interface)
        await updateInterfaceRow(trx, row.interface, { next_host: Math.max(next_host, row.ip_number + 1) })
      })
      this.#parts.sampler.forget(id)
      return this.#view(administrator, row, this.#parts.clock.now())
    })
    await this.#parts.onChanged(id)
    return removed
  }

  /** The text of the device's configuration; `host` is used when no public endpoint is set. A secret. */
  async configuration(id: string, host: string): Promise<{ name: string; text: string }> {
    const row = await findPeer(this.#db, id)
    const on = await findInterface(this.#db, row.interface)
    const { sealer, publicEndpoint } = this.#parts
    const open = (sealed: string | null, place: string) => (sealed === null ? null : sealer.open(sealed, place))
    const listed = JSON.parse(row.allowed_ips) as string[]
    const dns = resolversOf(on)
    const text = encodeConfiguration({
      name: row.name,
      privateKey: open(row.private_key, sealedPlace.peerKey(id)),
      ip: row.ip,
      ipv6: row.ipv6,
      dns,
      mtu: on.mtu,
      serverPublicKey: on.public_key,
      presharedKey: open(row.preshared_key, sealedPlace.presharedKey(id)),
      endpointHost: publicEndpoint(host),
      endpointPort: on.listen_port,
      allowedIps: routedNetworks({
        mode: row.routing_mode,
        listed,
        address: on.address,
        address6: on.address6,
        dns,
      }),
      persistentKeepalive: row.persistent_keepalive,
    })
    return { name: row.name, text }
  }

  async #insert(trx: Kysely<Tables>, input: PeerCreate): Promise<{ added: PeerRow; on: InterfaceRow }> {
    const on = await findInterface(trx, input.interface)
    const added = await newPeerRow(trx, on, { input, making: this.#making })
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
    const columns = await changedPeerColumns(trx, { row: before, on }, { changes, making: this.#making })
    await store.updatePeerRow(trx, id, columns)
    return { before, after: { ...before, ...columns }, on }
  }

  #view(viewer: Viewer, row: store.PeerWithActivityRow, now: number): Peer {
    return peerOfRow(row, { now, showEndpoint: viewer.role === 'admin', followed: this.#parts.sampler.peer(row.id) })
  }

  get #making(): PeerMaking {
    const { sealer, settings, clock } = this.#parts
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
