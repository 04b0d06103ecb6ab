import type { Page } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** An interface with what its peers add up to. */
export interface InterfaceSummaryRow extends InterfaceRow {
  readonly peer_count: number
  /** Null for an interface of this host. */
  readonly node_name: string | null
  /** Null without a standby. */
  readonly standby_name: string | null
}

export async function listInterfaceRows(
  db: Db,
  page: { limit: number; offset: number },
): Promise<Page<InterfaceSummaryRow>> {
  const rows = await summaries(db)
    .orderBy('interfaces.created_at')
    .orderBy('interfaces.name')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  const { count } = await db
    .selectFrom('interfaces')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { rows, total: count }
}

export function findInterfaceSummary(db: Db, name: string): Promise<InterfaceSummaryRow | undefined> {
  return summaries(db).where('interfaces.name', '=', name).executeTakeFirst()
}

function summaries(db: Db) {
  return db
    .selectFrom('interfaces')
    .leftJoin('nodes', 'nodes.id', 'interfaces.node_id')
    .leftJoin('nodes as standbys', 'standbys.id', 'interfaces.standby_node_id')
    .selectAll('interfaces')
    .select(['nodes.name as node_name', 'standbys.name as standby_name'])
    .select((row) =>
      row
        .selectFrom('peers')
        .select((peer) => peer.fn.countAll<number>().as('count'))
        .whereRef('peers.interface', '=', 'interfaces.name')
        .$asScalar()
        .$notNull()
        .as('peer_count'),
    )
}

/** Finds an interface by its name. */
export function findInterfaceRow(db: Db, name: string): Promise<InterfaceRow | undefined> {
  return db.selectFrom('interfaces').selectAll().where('name', '=', name).executeTakeFirst()
}

/** Reads all interfaces, by name. */
export function allInterfaceRows(db: Db): Promise<InterfaceRow[]> {
  return db.selectFrom('interfaces').selectAll().orderBy('name').execute()
}

/** Reads the interfaces that a node runs, as a standby too, or those of this host with null, by name. */
export function interfaceRowsOn(db: Db, nodeId: string | null): Promise<InterfaceRow[]> {
  const rows = db.selectFrom('interfaces').selectAll().orderBy('name')
  if (nodeId === null) return rows.where('node_id', 'is', null).execute()
  return rows
    .where((where) => where.or([where('node_id', '=', nodeId), where('standby_node_id', '=', nodeId)]))
    .execute()
}

/** Reads the name of a node and the networks that it reported, JSON. */
export function nodeReachRow(
  db: Db,
  id: string,
): Promise<{ name: string; reported_networks: string | null } | undefined> {
  return db.selectFrom('nodes').select(['name', 'reported_networks']).where('id', '=', id).executeTakeFirst()
}

/** Finds the name of a node. */
export async function findNodeName(db: Db, id: string): Promise<string | undefined> {
  return (await db.selectFrom('nodes').select('name').where('id', '=', id).executeTakeFirst())?.name
}

/** Facts about devices that were left running, by interface; the value is the public key of the device. */
const leftDevice = 'left_device:'

/** A device that was left running on this host. */
export interface LeftDevice {
  readonly name: string
  readonly publicKey: string
}

/** Notes that the device of an interface runs on although the interface is not wanted on this host any more. */
export async function noteLeftDevice(db: Db, name: string): Promise<void> {
  const row = await findInterfaceRow(db, name)
  if (row !== undefined) await noteLeftDevices(db, [{ name, publicKey: row.public_key }])
}

/** Notes that these devices run on. */
export async function noteLeftDevices(db: Db, devices: readonly LeftDevice[]): Promise<void> {
  for (const { name, publicKey: value } of devices)
    await db
      .insertInto('facts')
      .values({ name: `${leftDevice}${name}`, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
}

/** Returns the devices of this host that run while the service is off. */
export async function devicesOfHost(db: Db): Promise<LeftDevice[]> {
  const rows = await interfaceRowsOn(db, null)
  return rows.flatMap(({ name, public_key: publicKey, enabled }) => (enabled === 1 ? [{ name, publicKey }] : []))
}

/** Reads the devices that were left running. */
export async function leftDevices(db: Db): Promise<LeftDevice[]> {
  const rows = await db.selectFrom('facts').selectAll().where('name', 'like', `${leftDevice}%`).execute()
  return rows.map(({ name, value }) => ({ name: name.slice(leftDevice.length), publicKey: value }))
}

/** Forgets the device of an interface that was left running: it is down. */
export async function forgetLeftDevice(db: Db, name: string): Promise<void> {
  await db.deleteFrom('facts').where('name', '=', `${leftDevice}${name}`).execute()
}

/** Adds an interface. */
export async function insertInterfaceRow(db: Db, row: InterfaceRow): Promise<void> {
  await db.insertInto('interfaces').values(row).execute()
}

/** Changes columns of an interface. */
export async function updateInterfaceRow(
  db: Db,
  name: string,
  changes: Partial<Omit<InterfaceRow, 'name'>>,
): Promise<void> {
  await db.updateTable('interfaces').set(changes).where('name', '=', name).execute()
}

/** Notes that the peers of an interface reach it at another endpoint now. */
export async function noteEndpointChange(db: Db, name: string, now: number): Promise<void> {
  await db.updateTable('peers').set({ endpoint_changed_at: now }).where('interface', '=', name).execute()
}

/** Notes that the standby of an interface is another one now, or at another endpoint; null when there is none. */
export async function noteStandbyChange(db: Db, name: string, at: number | null): Promise<void> {
  await db.updateTable('peers').set({ standby_changed_at: at }).where('interface', '=', name).execute()
}

/** The interface's peers go with it; returns how many there were. */
export async function deleteInterfaceRow(db: Db, name: string): Promise<number> {
  const peers = await db.deleteFrom('peers').where('interface', '=', name).executeTakeFirst()
  await db.deleteFrom('interfaces').where('name', '=', name).execute()
  return Number(peers.numDeletedRows)
}

/** Every address the peers of an interface have. */
export function peerAddresses(db: Db, name: string): Promise<Pick<PeerRow, 'id' | 'name' | 'ip' | 'ipv6'>[]> {
  return db.selectFrom('peers').select(['id', 'name', 'ip', 'ipv6']).where('interface', '=', name).execute()
}

/** Peers of an interface that should be on the device at a time: enabled and not expired; all of them, or those that its rules name. */
export function effectivePeerRows(db: Db, name: string, only: { at: number; inRules?: boolean }): Promise<PeerRow[]> {
  return db
    .selectFrom('peers')
    .selectAll()
    .where('interface', '=', name)
    .where('enabled', '=', 1)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', only.at)]))
    .$if(only.inRules === true, (query) =>
      query.where((where) => where.or([where('client_isolation', '=', 1), where('networks', 'is not', null)])),
    )
    .execute()
}

/** A peer with networks behind it, as far as those and their routes to others go. */
export type NetworkOwnerRow = Pick<PeerRow, 'id' | 'name' | 'interface' | 'routing_mode' | 'given_routes'> & {
  readonly networks: string
}

/** Reads all peers with networks behind them, in the order of their ids. */
export async function networkOwnerRows(db: Db): Promise<NetworkOwnerRow[]> {
  // Sorted here: for an order SQLite would pass over every peer, and leave the index of these few alone.
  const rows = await db
    .selectFrom('peers')
    .select(['id', 'name', 'interface', 'routing_mode', 'given_routes', 'networks'])
    .where('networks', 'is not', null)
    .$narrowType<{ networks: string }>()
    .execute()
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
