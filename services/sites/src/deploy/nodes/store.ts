import type { Kysely } from 'kysely'
import type { NodeRow, NodeTables } from './tables.ts'

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

export async function deleteNodeRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('nodes').where('id', '=', id).execute()
}
