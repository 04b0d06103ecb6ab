import { sql, type Kysely } from 'kysely'
import type { Database } from './open.ts'

/**
 * Lets transactions that check before they write take turns, by a number of their own: on PostgreSQL two of them would
 * otherwise both pass the check. SQLite has one writer at a time anyway.
 */
export async function takeTurn<T>(kind: Database<T>['kind'], trx: Kysely<T>, turn: number): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${turn})`.execute(trx)
}
