import { isPostgres } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Most ids in one statement. */
const atOnce = 1000

/**
 * Has nobody else change jobs until the end of the transaction, and waits for those who do. A transaction that changes what
 * belongs to jobs does this before anything else, so that of two none waits for the other. Rows that refer to a job can still be
 * added by those who do not lock it. SQLite has one writer at a time anyway.
 */
export async function lockJobs(trx: Db, ids: readonly string[]): Promise<void> {
  if (isPostgres(trx)) await eachPart(ids, (part) => locking(trx, part).execute())
}

/** As `lockJobs`, but waits for nobody. Returns the ids of jobs that others are changing, or that are gone. */
export async function tryLockJobs(trx: Db, ids: readonly string[]): Promise<string[]> {
  if (!isPostgres(trx)) return []
  const locked = new Set<string>()
  await eachPart(ids, async (part) => {
    for (const { id } of await locking(trx, part).skipLocked().execute()) locked.add(id)
  })
  return ids.filter((id) => !locked.has(id))
}

/** In one order, so that of two that lock the same jobs none waits for the other. */
const locking = (trx: Db, ids: readonly string[]) =>
  trx
    .selectFrom('jobs')
    .select('id')
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forNoKeyUpdate()

async function eachPart(ids: readonly string[], work: (part: readonly string[]) => Promise<unknown>): Promise<void> {
  const inOrder = ids.toSorted()
  for (let at = 0; at < inOrder.length; at += atOnce) await work(inOrder.slice(at, at + atOnce))
}
