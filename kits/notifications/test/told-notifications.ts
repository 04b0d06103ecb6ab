import { createSealer } from '@hearth/credentials'
import { openDatabase } from '@hearth/database'
import { createOutboundAllow } from '@hearth/outbound'
import { createLog, createSkippingTimers } from '@hearth/runtime'
import {
  createNotificationTables,
  Notifications,
  type EventClass,
  type NotificationTables,
  type Reports,
} from '../src/index.ts'

/** The notifications of a service that sends none, for tests of what features report. */
export interface ToldNotifications extends AsyncDisposable {
  readonly reports: Reports
  /** Returns what was told so far, oldest first, as `state: title`. */
  told(): Promise<string[]>
}

/** Opens the notifications of a service with these classes, on a database in memory. */
export async function openToldNotifications(classes: readonly EventClass[]): Promise<ToldNotifications> {
  const database = openDatabase<NotificationTables>({ file: ':memory:' })
  await createNotificationTables(database.query as never)
  const notifications = new Notifications(database, {
    sealer: createSealer(Buffer.alloc(32, 1)),
    timers: createSkippingTimers(),
    log: createLog({ name: 'test', level: 'silent' }),
    allow: createOutboundAllow([]),
    service: 'Test',
    publicUrl: 'https://test.example.org',
    classes,
  })
  // Nothing is sent, because the notifications are not started.
  await notifications.create({
    name: 'Nobody',
    is_enabled: true,
    target: {
      kind: 'webhook',
      url: 'https://nobody.example.org',
      secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    },
    rules: {
      classes: null,
      minimum_severity: 'info',
      time_zone: 'UTC',
      quiet_hours: null,
      digest: { every: 'message' },
    },
  })
  return {
    reports: notifications.reports,
    async told() {
      await notifications.stored()
      const rows = await database.query
        .selectFrom('notification_deliveries')
        .select('message')
        .orderBy('created_at')
        .execute()
      return rows.map(({ message }) => {
        const { state, title } = JSON.parse(message) as { state: string; title: string }
        return `${state}: ${title}`
      })
    },
    async [Symbol.asyncDispose]() {
      await notifications.close()
      await database.close()
    },
  }
}
