import { createNotificationTables } from '@hearth/notifications'
import type { Kysely } from 'kysely'

/** Destinations of notifications, and the messages on their way to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createNotificationTables(db)
}
