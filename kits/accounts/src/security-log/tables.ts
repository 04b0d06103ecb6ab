import type { Kysely } from 'kysely'
import type { SecurityEventKind, SignInFailure, SignInMethod } from './security-event.ts'

/** The table of the security log. */
export interface SecurityLogTables {
  security_events: SecurityEventRow
}

/** An event as stored. Rows never change; the oldest are deleted. */
export interface SecurityEventRow {
  id: string
  /** Milliseconds since the epoch. */
  at: number
  kind: SecurityEventKind
  /** The user who did it, or whose sign-in failed; null for nobody known. It may be gone. */
  user_id: string | null
  /** Name of the user at that time. */
  username: string | null
  address: string | null
  user_agent: string | null
  method: SignInMethod | null
  reason: SignInFailure | null
  target: string | null
  detail: string | null
}

/** Creates the table, for a migration of a service. Released: what it makes never changes; later columns are steps of their own. */
export async function createSecurityLogTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('security_events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('username', 'text')
    .addColumn('address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('method', 'text')
    .addColumn('reason', 'text')
    .addColumn('target', 'text')
    .addColumn('detail', 'text')
    .execute()
  await db.schema.createIndex('security_events_at').on('security_events').columns(['at', 'id']).execute()
}
