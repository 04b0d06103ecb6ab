import type { Kysely } from 'kysely'
import type { NodeConfigRow, NodeRow, NodeTables } from './tables.ts'

type Db = Kysely<NodeTables>

/** Columns of a node of which the service knows nothing yet, or nothing any more. */
export const unknownState = {
  onboarded_at: null,
  baseline_sha: null,
  expected_sha: null,
  expected_config: null,
  announced_sha: null,
} as const

/** Returns every node, oldest first: a change is tried on the oldest before the others. */
export function allNodeRows(db: Db): Promise<NodeRow[]> {
  return db.selectFrom('nodes').selectAll().orderBy('id').execute()
}

/** Returns the node, or undefined when there is none with this id. */
export function findNodeRow(db: Db, id: number): Promise<NodeRow | undefined> {
  return db.selectFrom('nodes').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Returns the next free id; 1 is the node of the settings. */
export async function nextNodeId(db: Db): Promise<number> {
  const { last } = await db
    .selectFrom('nodes')
    .select((row) => row.fn.max('id').as('last'))
    .executeTakeFirstOrThrow()
  return (last ?? 0) + 1
}

export async function insertNodeRow(db: Db, row: NodeRow): Promise<void> {
  await db.insertInto('nodes').values(row).execute()
}

/** Changes columns of a node; does nothing when there is no such node or `changes` is empty. */
export async function updateNodeRow(db: Db, id: number, changes: Partial<Omit<NodeRow, 'id'>>): Promise<void> {
  if (Object.keys(changes).length === 0) return
  await db.updateTable('nodes').set(changes).where('id', '=', id).execute()
}

/** Deletes a node with its configuration. */
export async function deleteNodeRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('node_configs').where('node_id', '=', id).execute()
  await db.deleteFrom('nodes').where('id', '=', id).execute()
}

/** Returns the sealed configuration of a node; undefined when nothing was applied yet. */
export async function findNodeConfig(db: Db, id: number): Promise<string | undefined> {
  const row = await db.selectFrom('node_configs').select('config').where('node_id', '=', id).executeTakeFirst()
  if (row !== undefined) return row.config
  return (await findNodeRow(db, id))?.expected_config ?? undefined
}

/** Replaces the sealed configuration of a node. */
export async function putNodeConfig(db: Db, row: NodeConfigRow): Promise<void> {
  await db
    .insertInto('node_configs')
    .values(row)
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ config: row.config }))
    .execute()
  const older = db.updateTable('nodes').set({ expected_config: null }).where('id', '=', row.node_id)
  await older.where('expected_config', 'is not', null).execute()
}
