import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DatabaseLocation, migrate, openDatabase } from '@hearth/database'
import { postgresObstacle, startPostgres } from '@hearth/testing'
import { interfaceRow, peerRow } from '../../test/stored-rows.ts'
import { migrations } from '../database/migrations/index.ts'
import type { PeerRow, Tables } from '../tables.ts'
import { SiteRoutes } from '../site-networks/networks-of-others.ts'
import { PeerListQuery, PeerSort } from './schema.ts'
import { peerStatus } from './followed-peer.ts'
import { insertPeerRow, listPeerRows, type PeerRowQuery, type PeerWithActivityRow } from './store.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const count = 60
const day = 86_400_000

/** Peers with every mixture of switches and dates; times and counters repeat, so that orders have ties. */
function mixedPeer(number: number): PeerRow {
  const id = `p${String((number * 37) % count).padStart(2, '0')}`
  return peerRow(id, {
    name: `Peer ${id}`,
    name_key: `peer ${(number * 7) % 10}${id}`,
    interface: number % 4 === 0 ? 'off' : 'on',
    ip: `10.1.0.${number + 2}`,
    ip_number: number + 2,
    ipv6: number % 2 === 0 ? `fd01::${number + 2}` : null,
    routing_mode: number % 2 === 0 ? 'split_tunnel' : 'full_tunnel',
    enabled: number % 5 === 0 ? 0 : 1,
    expires_at: number % 7 === 0 ? now : number % 7 === 1 ? now + number : null,
    created_at: now - (number % 10) * day,
    networks: number % 11 === 0 ? `["10.${20 + number}.0.0/16"]` : null,
    given_routes: number % 3 === 0 ? null : number % 3 === 1 ? '' : 'other',
  })
}

/** An interface that runs, and one that does not. */
const interfaces = (['off', 'on'] as const).map((name, number) =>
  interfaceRow({ name, address: `10.${number}.0.1/24`, listen_port: number + 1, public_key: name, enabled: number }),
)

async function checkLists(location: DatabaseLocation): Promise<void> {
  const database = openDatabase<Tables>(location)
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => database.close())
  const db = database.query
  await migrate(db, migrations)
  await db.insertInto('interfaces').values(interfaces).execute()
  const all: PeerWithActivityRow[] = []
  for (let number = 0; number < count; number += 1) {
    const row = mixedPeer(number)
    const ago = number % 5 === 1 ? (number % 6) * day : (number % 9) * 30_000
    const last_handshake = number % 3 === 0 ? null : now - ago
    const activity = { last_handshake, endpoint: null, rx_total: number % 6, tx_total: (number * 11) % 40 }
    await insertPeerRow(db, row)
    await db.updateTable('peer_activity').set(activity).where('peer_id', '=', row.id).execute()
    all.push({ ...row, ...activity, interface_enabled: row.interface === 'on' ? 1 : 0 })
  }
  const routes = await SiteRoutes.read(db)
  assert.ok(all.some((row) => row.networks !== null && routes.isOutdated(row)))
  for (const sort of PeerSort.options) {
    for (const query of filters.flatMap((filter) => [
      { ...filter, sort, order: 'asc' },
      { ...filter, sort, order: 'desc' },
    ])) {
      const wanted = listed(all, parsed(query, routes), routes)
      for (const { limit, offset } of [
        { limit: 100, offset: 0 },
        { limit: 7, offset: 5 },
      ]) {
        const { rows, total } = await listPeerRows(db, parsed({ ...query, limit, offset }, routes), now)
        assert.deepEqual(
          { total, rows: structuredClone(rows) },
          { total: wanted.length, rows: wanted.slice(offset, offset + limit) },
          JSON.stringify({ ...query, limit, offset }),
        )
      }
    }
  }
}

const filters = [
  {},
  { interface: 'on' },
  { search: 'p3' },
  { status: 'active' },
  { status: 'inactive' },
  { status: 'disabled', interface: 'off' },
  { status: 'connected', search: '5' },
  { expires_soon: 'true' },
  { silent_days: 3 },
  { silent_days: 1, status: 'inactive', interface: 'on' },
  { needs_configuration: 'true' },
  { needs_configuration: 'true', interface: 'off', search: '1' },
]

/** A query with the time until which peers expire soon, and the peers that need their configuration again. */
function parsed(query: object, routes: SiteRoutes): PeerRowQuery {
  const parsed = PeerListQuery.parse(query)
  const outdated = parsed.needs_configuration && routes.outdated()
  return { ...parsed, expiresUntil: parsed.expires_soon && now + 30, outdated }
}

const sortValues: Record<PeerListQuery['sort'], (row: PeerWithActivityRow) => number | string> = {
  created_at: (row) => row.created_at,
  name: (row) => row.name_key,
  ip: (row) => row.ip_number,
  last_handshake: (row) => row.last_handshake ?? 0,
  transfer_rx: (row) => row.rx_total,
  transfer_tx: (row) => row.tx_total,
}

/** Selects the peers of a query in the slow and obvious way. */
function listed(all: readonly PeerWithActivityRow[], query: PeerRowQuery, routes: SiteRoutes): PeerWithActivityRow[] {
  const { interface: on, search, status, sort, order, expiresUntil, silent_days: silent } = query
  const value = sortValues[sort]
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
  const ascending = all
    .filter((row) => on === undefined || row.interface === on)
    .filter((row) => status === undefined || statusOf(row) === (status === 'connected' ? 'active' : status))
    .filter((row) => expiresUntil === undefined || (statusOf(row) !== 'disabled' && isUntil(row, expiresUntil)))
    .filter((row) => query.needs_configuration === undefined || routes.isOutdated(row))
    .filter((row) => silent === undefined || (row.last_handshake ?? row.created_at) <= now - silent * day)
    .filter((row) => [row.name_key, row.ip, row.ipv6 ?? ''].some((text) => text.includes(search ?? '')))
    .toSorted((a, b) => compare(value(a), value(b)) || compare(a.id, b.id))
  return order === 'asc' ? ascending : ascending.toReversed()
}

const isUntil = ({ expires_at: at }: PeerWithActivityRow, until: number) => at !== null && at <= until

function statusOf(row: PeerWithActivityRow) {
  return peerStatus(row, now)
}

test('every list is sorted, paged and filtered correctly', async () => {
  await checkLists({ file: ':memory:' })
})

test('the same on PostgreSQL', { skip: postgresObstacle() }, async () => {
  await using postgres = await startPostgres()
  await checkLists({ url: await postgres.createDatabase() })
})
