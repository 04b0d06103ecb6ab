import { sql, type Kysely } from 'kysely'
import type { Database } from './open.ts'

/**
 * Takes a lock until the end of the transaction, so that transactions that check before they write run one at a time: on
 * PostgreSQL two of them would otherwise both pass the check. SQLite has one writer at a time anyway.
 */
export async function acquireLock<T>(kind: Database<T>['kind'], trx: Kysely<T>, lockId: number): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${lockId})`.execute(trx)
}
