import type { Kysely } from 'kysely'
import type { CertificateTables, ScanRow } from '../tables.ts'

type Db = Kysely<CertificateTables>

export function listScans(db: Db): Promise<ScanRow[]> {
  return db.selectFrom('ssl_labs_scans').selectAll().orderBy('host').execute()
}

export function findScan(db: Db, host: string): Promise<ScanRow | undefined> {
  return db.selectFrom('ssl_labs_scans').selectAll().where('host', '=', host).executeTakeFirst()
}

/** The scan that waits longest. */
export function nextQueued(db: Db): Promise<ScanRow | undefined> {
  return db
    .selectFrom('ssl_labs_scans')
    .selectAll()
    .where('state', '=', 'queued')
    .orderBy('requested_at')
    .orderBy('host')
    .limit(1)
    .executeTakeFirst()
}

export async function putScan(db: Db, row: ScanRow): Promise<void> {
  await db
    .insertInto('ssl_labs_scans')
    .values(row)
    .onConflict((conflict) => conflict.column('host').doUpdateSet(row))
    .execute()
}

export async function changeScan(db: Db, host: string, change: Partial<Omit<ScanRow, 'host'>>): Promise<void> {
  await db.updateTable('ssl_labs_scans').set(change).where('host', '=', host).execute()
}

/** Queues scans that a stop interrupted, to be continued and not to be started anew. */
export async function requeueInterrupted(db: Db): Promise<void> {
  await db
    .updateTable('ssl_labs_scans')
    .set({ state: 'queued', is_fresh: 0 })
    .where('state', 'in', ['starting', 'dns', 'in_progress', 'rate_limited'])
    .execute()
}

export async function readFact(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('ssl_labs_facts').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

export async function writeFact(db: Db, name: string, value: string): Promise<void> {
  await db
    .insertInto('ssl_labs_facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export async function deleteFact(db: Db, name: string): Promise<void> {
  await db.deleteFrom('ssl_labs_facts').where('name', '=', name).execute()
}

/** Names of facts that begin so. */
export async function factsBeginning(db: Db, beginning: string): Promise<string[]> {
  const rows = await db.selectFrom('ssl_labs_facts').select('name').where('name', 'like', `${beginning}%`).execute()
  return rows.map(({ name }) => name)
}
