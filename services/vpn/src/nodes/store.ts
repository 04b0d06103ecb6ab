import type { Kysely } from 'kysely'
import { nameKey } from '../envelope.ts'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'
import type { NodeAuthorityRow, NodeJoinTokenRow, NodeRow } from './tables.ts'

type Db = Kysely<Tables>

/** A node with the end of its join token; null when none waits. */
export type ListedNodeRow = NodeRow &
  Pick<{ [Key in keyof NodeJoinTokenRow]: NodeJoinTokenRow[Key] | null }, 'expires_at'>

/** Reads the authority; undefined before the first node. */
export function findAuthorityRow(db: Db): Promise<NodeAuthorityRow | undefined> {
  return db.selectFrom('node_authority').selectAll().where('id', '=', 1).executeTakeFirst()
}

/** Stores the authority, unless another process did so before. */
export async function insertAuthorityRow(db: Db, row: NodeAuthorityRow): Promise<void> {
  await db
    .insertInto('node_authority')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

const listed = (db: Db) =>
  db
    .selectFrom('nodes')
    .leftJoin('node_join_tokens', 'node_join_tokens.node_id', 'nodes.id')
    .selectAll('nodes')
    .select('node_join_tokens.expires_at')

/** Reads all nodes, by name. */
export function allNodeRows(db: Db): Promise<ListedNodeRow[]> {
  return listed(db).orderBy('nodes.name_key').execute()
}

export function findNodeRow(db: Db, id: string): Promise<ListedNodeRow | undefined> {
  return listed(db).where('nodes.id', '=', id).executeTakeFirst()
}

/** Finds the node whose certificate has this fingerprint. */
export function findNodeByFingerprint(db: Db, fingerprint: string): Promise<NodeRow | undefined> {
  return db.selectFrom('nodes').selectAll().where('fingerprint', '=', fingerprint).executeTakeFirst()
}

/** Finds the id of the node with this name. */
export async function findNodeIdByName(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('nodes').select('id').where('name_key', '=', nameKey(name)).executeTakeFirst()
  return row?.id
}

export async function countNodes(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('nodes')
    .select((query) => query.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertNodeRow(db: Db, row: NodeRow): Promise<void> {
  await db.insertInto('nodes').values(row).execute()
}

export async function updateNodeRow(db: Db, id: string, changes: Partial<Omit<NodeRow, 'id'>>): Promise<void> {
  await db.updateTable('nodes').set(changes).where('id', '=', id).execute()
}

/** Removes a node and its join token. */
export async function deleteNodeRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('nodes').where('id', '=', id).execute()
}

/** Keys of one statement; the databases' limits on parameters are higher. */
const keysAtOnce = 400

/** A peer as far as the traffic of its node goes. */
export type NodePeerRow = Pick<PeerRow, 'id' | 'interface' | 'public_key' | 'next_public_key'>

/** Reads the peers on the interfaces of a node that have these public keys, or are to have them. */
export async function peersOfNode(db: Db, nodeId: string, keys: readonly string[]): Promise<NodePeerRow[]> {
  const rows = new Map<string, NodePeerRow>()
  for (let at = 0; at < keys.length; at += keysAtOnce) {
    const part = keys.slice(at, at + keysAtOnce)
    const found = await db
      .selectFrom('peers')
      .innerJoin('interfaces', 'interfaces.name', 'peers.interface')
      .select(['peers.id', 'peers.interface', 'peers.public_key', 'peers.next_public_key'])
      .where((where) =>
        where.or([where('interfaces.node_id', '=', nodeId), where('interfaces.standby_node_id', '=', nodeId)]),
      )
      .where((where) => where.or([where('peers.public_key', 'in', part), where('peers.next_public_key', 'in', part)]))
      .execute()
    for (const row of found) rows.set(row.id, row)
  }
  return [...rows.values()]
}

/** A client of the resolver with its interface, and the nodes of that. */
export type PlacedClientRow = Pick<PeerRow, 'dns_number' | 'interface'> &
  Pick<InterfaceRow, 'node_id' | 'standby_node_id'>

/** Reads where the clients with these numbers are. */
export async function placedClients(db: Db, numbers: readonly number[]): Promise<PlacedClientRow[]> {
  const found: PlacedClientRow[] = []
  for (let at = 0; at < numbers.length; at += keysAtOnce) {
    const rows = await db
      .selectFrom('peers')
      .innerJoin('interfaces', 'interfaces.name', 'peers.interface')
      .select(['peers.dns_number', 'peers.interface', 'interfaces.node_id', 'interfaces.standby_node_id'])
      .where('peers.dns_number', 'in', numbers.slice(at, at + keysAtOnce))
      .execute()
    for (const row of rows) found.push(row)
  }
  return found
}

/** An interface on a node, or on two. */
export type NodeInterfaceRow = Pick<InterfaceRow, 'name' | 'node_id' | 'standby_node_id'>

/** Reads the interfaces on nodes, by name. */
export function nodeInterfaceRows(db: Db): Promise<NodeInterfaceRow[]> {
  return db
    .selectFrom('interfaces')
    .select(['name', 'node_id', 'standby_node_id'])
    .where((where) => where.or([where('node_id', 'is not', null), where('standby_node_id', 'is not', null)]))
    .orderBy('name')
    .execute()
}

/** Gives a node this join token, in the place of the one it had. */
export async function putJoinToken(db: Db, row: NodeJoinTokenRow): Promise<void> {
  const { node_id: _id, ...values } = row
  await db
    .insertInto('node_join_tokens')
    .values(row)
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet(values))
    .execute()
}

/** Finds the node that may join with the token of this hash at a time. */
export function findJoiningNode(db: Db, hash: string, now: number): Promise<Pick<NodeRow, 'id' | 'name'> | undefined> {
  return db
    .selectFrom('node_join_tokens')
    .innerJoin('nodes', 'nodes.id', 'node_join_tokens.node_id')
    .select(['nodes.id', 'nodes.name'])
    .where('node_join_tokens.hash', '=', hash)
    .where('node_join_tokens.expires_at', '>', now)
    .executeTakeFirst()
}

/** Uses a join token up. Returns false when it was used or replaced before: of several that try, one wins. */
export async function useJoinToken(db: Db, hash: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('node_join_tokens').where('hash', '=', hash).executeTakeFirst()
  return numDeletedRows === 1n
}
