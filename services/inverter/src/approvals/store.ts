import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

export async function allApprovals(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('approvals').select('name').orderBy('name').execute()
  return rows.map((row) => row.name)
}

/** Replaces the approved names. */
export async function replaceApprovals(db: Db, names: readonly string[], now: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const known = new Set(await allApprovals(trx))
    const wanted = new Set(names)
    for (const name of known)
      if (!wanted.has(name)) await trx.deleteFrom('approvals').where('name', '=', name).execute()
    const added = names.filter((name) => !known.has(name)).map((name) => ({ name, approved_at: now }))
    if (added.length > 0) await trx.insertInto('approvals').values(added).execute()
  })
}
