import type { Database } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { TargetKind } from './destinations/schema.ts'

/** The tables of notifications. Times are milliseconds since the epoch, switches 0 or 1. */
export interface NotificationTables {
  notification_destinations: DestinationRow
  notification_deliveries: DeliveryRow
  notification_conditions: ConditionRow
}

/** The database, or a transaction in it. */
export type Db = Kysely<NotificationTables>

/** The database with the tables of notifications. */
export type StoredDatabase = Pick<Database<NotificationTables>, 'kind' | 'query'>

/** A service's database, whatever other tables it has. */
export interface AnyDatabase {
  readonly kind: Database<unknown>['kind']
  readonly query: Pick<Kysely<unknown>, 'isTransaction'>
}

/** A destination as stored. */
export interface DestinationRow {
  id: string
  name: string
  kind: TargetKind
  enabled: number
  /** Sealed JSON of a `Target` with its secrets. */
  target: string
  /** JSON of `Rules`. */
  rules: string
  created_at: number
  /** Last attempt to send, tests included. */
  last_attempt_at: number | null
  /** Reason why the last attempt failed; null when it succeeded or there was none. */
  last_error: string | null
}

/** One message for one destination. */
export interface DeliveryRow {
  id: string
  event_id: string
  destination_id: string
  /** JSON of a `Message`. */
  message: string
  state: 'waiting' | 'delivered' | 'dead'
  /** Id of the first of the deliveries that are sent as one; null until the first attempt. */
  batch: string | null
  attempts: number
  due_at: number
  /** Names the attempt that is under way. When `lease_until` has passed without an outcome, its process is gone. */
  lease: string | null
  lease_until: number | null
  error: string | null
  created_at: number
  settled_at: number | null
}

/** A condition that has begun and not ended. */
export interface ConditionRow {
  class: string
  subject: string
  began_at: number
}

/** Tables that are backed up. Messages and conditions are not: a restore must not send old messages again. */
export const notificationTableNames = ['notification_destinations'] as const

/** Creates the tables, for a migration of a service. Released: what it makes never changes; later columns are steps of their own. */
export async function createNotificationTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notification_destinations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('rules', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_attempt_at', 'bigint')
    .addColumn('last_error', 'text')
    .execute()
  await db.schema
    .createTable('notification_deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('destination_id', 'text', (column) =>
      column.notNull().references('notification_destinations.id').onDelete('cascade'),
    )
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('batch', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('lease', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('error', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('settled_at', 'bigint')
    .addUniqueConstraint('notification_deliveries_once', ['event_id', 'destination_id'])
    .execute()
  await db.schema
    .createIndex('notification_deliveries_due')
    .on('notification_deliveries')
    .columns(['state', 'due_at'])
    .execute()
  await db.schema
    .createIndex('notification_deliveries_destination')
    .on('notification_deliveries')
    .columns(['destination_id', 'state'])
    .execute()
  await db.schema
    .createTable('notification_conditions')
    .addColumn('class', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('began_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('notification_conditions_key', ['class', 'subject'])
    .execute()
}
