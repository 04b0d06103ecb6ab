import { sql, type Kysely } from 'kysely'

interface NodesTable {
  nodes: { id: number; admin: string | null; onboarded_at: number | null }
}

/**
 * One server for each admin endpoint, beside the server of the settings, which may be set to any. Of several that were added
 * at the same moment the one that serves sites stays, otherwise the first.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const nodes = db as Kysely<NodesTable>
  const rows = await nodes.selectFrom('nodes').selectAll().where('id', '<>', 1).orderBy('id').execute()
  const kept = new Set<string>()
  const [serving, others] = [rows.filter(isServing), rows.filter((row) => !isServing(row))]
  for (const { id, admin } of [...serving, ...others]) {
    if (admin === null) continue
    if (kept.has(admin)) await nodes.deleteFrom('nodes').where('id', '=', id).execute()
    kept.add(admin)
  }
  await sql`create unique index nodes_admin on nodes (admin) where id <> 1`.execute(db)
}

const isServing = (row: { onboarded_at: number | null }): boolean => row.onboarded_at !== null
