import type { Kysely } from 'kysely'
import type { MqttCounterRow, MqttPublishedRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Returns the retained messages of all devices. */
export const allPublished = (db: Db): Promise<MqttPublishedRow[]> =>
  db.selectFrom('mqtt_published').selectAll().orderBy('discovery_topic').execute()

/** Stores the retained messages of one device and replaces what was known of them. */
export async function writePublished(db: Db, row: MqttPublishedRow): Promise<void> {
  const { device_id, topics, components } = row
  await db
    .insertInto('mqtt_published')
    .values(row)
    .onConflict((conflict) => conflict.column('discovery_topic').doUpdateSet({ device_id, topics, components }))
    .execute()
}

/** Forgets the retained messages behind a discovery topic. */
export async function deletePublished(db: Db, discoveryTopic: string): Promise<void> {
  await db.deleteFrom('mqtt_published').where('discovery_topic', '=', discoveryTopic).execute()
}

/** Returns the counters of all devices. */
export const allCounters = (db: Db): Promise<MqttCounterRow[]> => db.selectFrom('mqtt_counters').selectAll().execute()

/** Stores counters and replaces what was known of them. */
export async function writeCounters(db: Db, rows: readonly MqttCounterRow[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const row of rows)
      await trx
        .insertInto('mqtt_counters')
        .values(row)
        .onConflict((conflict) => conflict.columns(['device_id', 'metric']).doUpdateSet({ counter: row.counter }))
        .execute()
  })
}

/** Deletes the counters of a device. */
export async function deleteCounters(db: Db, deviceId: string): Promise<void> {
  await db.deleteFrom('mqtt_counters').where('device_id', '=', deviceId).execute()
}
