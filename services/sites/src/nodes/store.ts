import type { Kysely } from 'kysely'
import type { NodeRow, NodeTables } from './tables.ts'

type Db = Kysely<NodeTables>

/** Every node, the oldest first: it is the trial for the others. */
export function allNodeRows(db: Db): Promise<NodeRow[]> {
  return db.selectFrom('nodes').selectAll().orderBy('id').execute()
}

export function findNodeRow(db: Db, id: number): Promise<NodeRow | undefined> {
  return db.selectFrom('nodes').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Numbers of nodes are counted up from 1, the node of the settings. */
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

export async function updateNodeRow(db: Db, id: number, changes: Partial<Omit<NodeRow, 'id'>>): Promise<void> {
  if (Object.keys(changes).length === 0) return
  await db.updateTable('nodes').set(changes).where('id', '=', id).execute()
}

export async function deleteNodeRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('nodes').where('id', '=', id).execute()
}
