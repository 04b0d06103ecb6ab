import { likePattern, type Page } from '@hearth/database'
import { type ExpressionBuilder, type Kysely, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { nameKey } from '../envelope.ts'
import type { PeerActivityRow, PeerRow, Tables } from '../tables.ts'
import type { OutdatedPeers } from '../site-networks/networks-of-others.ts'
import type { PeerListQuery } from './schema.ts'
import { handshakeLifetime, noActivity } from './followed-peer.ts'

type Db = Kysely<Tables>

/** A peer with what its device last reported and whether its interface is meant to run. */
export interface PeerWithActivityRow
  extends PeerRow, Pick<PeerActivityRow, 'last_handshake' | 'endpoint' | 'rx_total' | 'tx_total'> {
  readonly interface_enabled: number
}

type Joined = Tables & { peer_activity: PeerActivityRow }
type JoinedQuery<O> = SelectQueryBuilder<Joined, 'peers' | 'peer_activity' | 'interfaces', O>
type Where = ExpressionBuilder<Joined, 'peers' | 'peer_activity' | 'interfaces'>

const activity = ['peer_activity', 'peer_activity.peer_id', 'peers.id'] as const

function joined(db: Db): JoinedQuery<object> {
  return db
    .selectFrom('peers')
    .innerJoin(...activity)
    .innerJoin('interfaces', 'interfaces.name', 'peers.interface')
}

/**
 * Joins only what the filter, and the order when there is one, need: with thousands of peers a join costs more than all
 * the rest.
 */
function joinedFor(db: Db, query: PeerListQuery, isOrdered: boolean): JoinedQuery<object> {
  if (query.status !== undefined || query.needs_configuration !== undefined) return joined(db)
  const sortsByActivity = isOrdered && !['created_at', 'name', 'ip'].includes(query.sort)
  return sortsByActivity || query.silent_days !== undefined
    ? db.selectFrom('peers').innerJoin(...activity)
    : db.selectFrom('peers')
}

function withActivity(query: JoinedQuery<object>): JoinedQuery<PeerWithActivityRow> {
  return query
    .selectAll('peers')
    .select([
      'peer_activity.last_handshake',
      'peer_activity.endpoint',
      'peer_activity.rx_total',
      'peer_activity.tx_total',
    ])
    .select('interfaces.enabled as interface_enabled')
}

/**
 * A query of the list; with `expiresUntil` only peers that may connect and expire until then, with `outdated` only those that
 * need their configuration again.
 */
export type PeerRowQuery = PeerListQuery & {
  readonly expiresUntil?: number | undefined
  readonly outdated?: OutdatedPeers | undefined
}

/** Reads one page of peers; `now` decides which are active and which expired. */
export async function listPeerRows(db: Db, query: PeerRowQuery, now: number): Promise<Page<PeerWithActivityRow>> {
  const inOrder = <O>(rows: JoinedQuery<O>) =>
    rows.orderBy(sortColumns[query.sort], query.order).orderBy('peers.id', query.order)
  // The page is found by its ids and read afterwards, so that nothing but ids is carried through the sort.
  const ids = inOrder(filter(joinedFor(db, query, true), query, now).select('peers.id'))
    .limit(query.limit)
    .offset(query.offset)
  const rows = await inOrder(withActivity(joined(db)).where('peers.id', 'in', ids)).execute()
  const { count } = await filter(joinedFor(db, query, false), query, now)
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { rows, total: count }
}

const sortColumns = {
  created_at: 'peers.created_at',
  name: 'peers.name_key',
  ip: 'peers.ip_number',
  // Where a missing value stands in an order differs between the databases; never is the oldest here.
  last_handshake: sql<number>`coalesce(peer_activity.last_handshake, 0)`,
  transfer_rx: 'peer_activity.rx_total',
  transfer_tx: 'peer_activity.tx_total',
} as const

function filter(base: JoinedQuery<object>, query: PeerRowQuery, now: number): JoinedQuery<object> {
  let filtered = base
  if (query.interface !== undefined) filtered = filtered.where('peers.interface', '=', query.interface)
  if (query.status !== undefined) filtered = filtered.where((where) => hasStatus(where, query.status ?? 'active', now))
  const { tag } = query
  if (tag !== undefined)
    filtered = filtered.where(() => contains('peers.tag_keys', `%\n${likePattern(nameKey(tag))}\n%`))
  const { expiresUntil, silent_days: days } = query
  if (expiresUntil !== undefined)
    filtered = filtered.where((where) =>
      where.and([isUsable(where, now), where('peers.expires_at', '<=', expiresUntil)]),
    )
  const { outdated } = query
  if (outdated !== undefined)
    filtered = filtered.where((where) =>
      where.or([isOutdated(where, outdated), isElsewhere(where), where('peers.standby_changed_at', 'is not', null)]),
    )
  if (days !== undefined) filtered = filtered.where(lastSeen, '<=', now - days * day)
  const search = query.search?.trim() ?? ''
  if (search !== '') filtered = filtered.where((where) => matches(where, search))
  return filtered
}

/** The same rule as `SiteRoutes.isOutdated`, for the database. */
function isOutdated(where: Where, { fingerprints, owners }: OutdatedPeers) {
  const names = [...fingerprints.keys()]
  const ownsNone = where('peers.networks', 'is', null)
  return where.and([
    where('peers.routing_mode', '=', 'split_tunnel'),
    where('peers.given_routes', 'is not', null),
    where.or([
      where('peers.id', 'in', owners),
      where.and([ownsNone, where('peers.interface', 'not in', names), where('peers.given_routes', '!=', '')]),
      ...[...fingerprints].map(([name, fingerprint]) =>
        where.and([ownsNone, where('peers.interface', '=', name), where('peers.given_routes', '!=', fingerprint)]),
      ),
    ]),
  ])
}

/** The same rule as `hasOtherEndpoint`, for the database. */
const isElsewhere = (where: Where) =>
  where('peers.endpoint_changed_at', '>', sql<number>`coalesce(peer_activity.last_handshake, 0)`)

/** Returns true if the interface of a peer is reached at another endpoint, and the peer has not connected there. */
export const hasOtherEndpoint = (row: PeerWithActivityRow): boolean =>
  row.endpoint_changed_at !== null && row.endpoint_changed_at > (row.last_handshake ?? 0)

const day = 86_400_000

/** The last handshake; the creation of a peer that never had one. */
const lastSeen = sql<number>`coalesce(peer_activity.last_handshake, peers.created_at)`

/** Enabled and not expired. */
function isUsable(where: Where, now: number) {
  return where.and([
    where('peers.enabled', '=', 1),
    where.or([where('peers.expires_at', 'is', null), where('peers.expires_at', '>', now)]),
  ])
}

/** The same rule as `peerStatus`, for the database. */
function hasStatus(where: Where, status: NonNullable<PeerListQuery['status']>, now: number) {
  const usable = isUsable(where, now)
  const connected = where.and([
    where('peer_activity.last_handshake', 'is not', null),
    where('peer_activity.last_handshake', '>', now - handshakeLifetime),
    where('interfaces.enabled', '=', 1),
  ])
  if (status === 'disabled') return where.not(usable)
  return where.and([usable, status === 'inactive' ? where.not(connected) : connected])
}

function matches(where: Where, search: string) {
  const part = likePattern(nameKey(search))
  return where.or([
    contains('peers.name_key', `%${part}%`),
    contains('peers.ip', `%${part}%`),
    contains('peers.ipv6', `%${part}%`),
    contains('peers.public_key', `${likePattern(search)}%`),
  ])
}

/** SQLite has no escape character unless it is named. */
function contains(column: string, pattern: string) {
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`
}

/** Counts the peers of an interface that need their configuration again. */
export async function countOutdatedPeers(db: Db, name: string, outdated: OutdatedPeers): Promise<number> {
  const { count } = await joined(db)
    .where('peers.interface', '=', name)
    .where((where) => isOutdated(where, outdated))
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Counts the peers by the tags they have. */
export function countPeersByTags(db: Db): Promise<{ tags: string; count: number }[]> {
  return db
    .selectFrom('peers')
    .select((row) => ['tags', row.fn.countAll<number>().as('count')])
    .where('tag_keys', '!=', '')
    .groupBy('tags')
    .execute()
}

export function findPeerRow(db: Db, id: string): Promise<PeerWithActivityRow | undefined> {
  return withActivity(joined(db)).where('peers.id', '=', id).executeTakeFirst()
}

/** Adds a peer with no activity yet. */
export async function insertPeerRow(db: Db, row: PeerRow): Promise<void> {
  await db.insertInto('peers').values(row).execute()
  await db
    .insertInto('peer_activity')
    .values({ peer_id: row.id, ...noActivity, rx_bucketed: 0, tx_bucketed: 0 })
    .execute()
}

export async function updatePeerRow(db: Db, id: string, changes: Partial<Omit<PeerRow, 'id'>>): Promise<void> {
  await db.updateTable('peers').set(changes).where('id', '=', id).execute()
}

/** Writes peers that change together, those that become alike with one statement. */
export async function updateManyPeerRows(db: Db, before: readonly PeerRow[], after: readonly PeerRow[]): Promise<void> {
  const changes = after.map((row, index) => ({ id: row.id, columns: changedColumns(before[index], row) }))
  for (const alike of Map.groupBy(changes, ({ columns }) => JSON.stringify(columns)).values()) {
    const [first] = alike
    if (first === undefined) continue
    const ids = alike.map(({ id }) => id)
    await db.updateTable('peers').set(first.columns).where('id', 'in', ids).execute()
  }
}

function changedColumns(before: PeerRow | undefined, after: PeerRow): Partial<PeerRow> {
  const columns = Object.entries(after).filter(([name, value]) => before?.[name as keyof PeerRow] !== value)
  return Object.fromEntries(columns)
}

/** Reads peers without what belongs to them in other tables. */
export function findPlainPeerRows(db: Db, ids: readonly string[]): Promise<PeerRow[]> {
  return db.selectFrom('peers').selectAll().where('id', 'in', ids).execute()
}

/** Reads the names of the interfaces that these peers are on. */
export async function interfacesOfPeers(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.selectFrom('peers').select('interface').distinct().where('id', 'in', ids).execute()
  return rows.map((row) => row.interface)
}

export async function deletePeerRows(db: Db, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('peers').where('id', 'in', ids).execute()
}

export async function deletePeerRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('peers').where('id', '=', id).execute()
}

/** Finds a peer that already has one of these members of a new or changed peer, and returns the member and its name. */
export async function findPeersWith(
  db: Db,
  wanted: { name_key?: string; ip?: string; ipv6?: string | null; public_key?: string },
): Promise<Pick<PeerRow, 'id' | 'name' | 'name_key' | 'ip' | 'ipv6' | 'public_key'>[]> {
  return db
    .selectFrom('peers')
    .select(['id', 'name', 'name_key', 'ip', 'ipv6', 'public_key'])
    .where((where) =>
      where.or(
        (['name_key', 'ip', 'ipv6', 'public_key'] as const).flatMap((column) => {
          const value = wanted[column]
          return value === undefined || value === null ? [] : [where(column, '=', value)]
        }),
      ),
    )
    .execute()
}

/** The addresses in use in a stretch of an interface's network, ascending. */
export async function usedAddresses(db: Db, name: string, range: { from: number; limit: number }): Promise<number[]> {
  const rows = await db
    .selectFrom('peers')
    .select('ip_number')
    .where('interface', '=', name)
    .where('ip_number', '>=', range.from)
    .orderBy('ip_number')
    .limit(range.limit)
    .execute()
  return rows.map((row) => row.ip_number)
}

/** Returns true if an IPv6 address belongs to a peer. */
export async function isIpv6Used(db: Db, address: string): Promise<boolean> {
  return (await db.selectFrom('peers').select('id').where('ipv6', '=', address).executeTakeFirst()) !== undefined
}

/** Returns true if a peer has this number in the resolver. */
export async function isDnsNumberUsed(db: Db, number: number): Promise<boolean> {
  return (await db.selectFrom('peers').select('id').where('dns_number', '=', number).executeTakeFirst()) !== undefined
}

/** Reads the ids of all block lists. */
export async function listIds(db: Db): Promise<ReadonlySet<string>> {
  return new Set((await db.selectFrom('lists').select('id').execute()).map(({ id }) => id))
}

/** Finds the peers whose key this is, or will be. */
export function findKeyOwners(db: Db, publicKey: string): Promise<Pick<PeerRow, 'id' | 'name' | 'next_public_key'>[]> {
  return db
    .selectFrom('peers')
    .select(['id', 'name', 'next_public_key'])
    .where((where) => where.or([where('public_key', '=', publicKey), where('next_public_key', '=', publicKey)]))
    .execute()
}

/** Finds the interface with this public key. */
export function findInterfaceByKey(db: Db, publicKey: string): Promise<{ name: string } | undefined> {
  return db.selectFrom('interfaces').select('name').where('public_key', '=', publicKey).executeTakeFirst()
}
