import type { Kysely } from 'kysely'
import type { MqttPublishedRow, Tables } from '../tables.ts'
import { allPublished, deletePublished, writePublished } from './store.ts'

/** Retained messages of one device at the broker. */
export interface PublishedDevice {
  readonly deviceId: string
  readonly discoveryTopic: string
  /** Other retained topics. */
  readonly topics: readonly string[]
  /** Platforms of the components of the discovery message, by their keys. */
  readonly components: Readonly<Record<string, string>>
}

/** What stays at the broker until this service removes it; kept over restarts and outages. */
export type Published = Awaited<ReturnType<typeof openPublished>>

/** Reads what earlier connections have published. */
export async function openPublished(db: Kysely<Tables>) {
  const known = new Map((await allPublished(db)).map((row) => [row.discovery_topic, ofRow(row)]))
  return {
    all: (): PublishedDevice[] => [...known.values()],
    get: (discoveryTopic: string): PublishedDevice | undefined => known.get(discoveryTopic),
    /** Notes a device before it is published: what is published unnoted could never be removed. */
    async note(device: PublishedDevice): Promise<void> {
      const { deviceId, discoveryTopic, topics, components } = device
      const row = {
        discovery_topic: discoveryTopic,
        device_id: deviceId,
        topics: JSON.stringify(topics),
        components: JSON.stringify(components),
      }
      await writePublished(db, row)
      known.set(discoveryTopic, device)
    },
    async forget(discoveryTopic: string): Promise<void> {
      await deletePublished(db, discoveryTopic)
      known.delete(discoveryTopic)
    },
  }
}

const ofRow = (row: MqttPublishedRow): PublishedDevice => ({
  deviceId: row.device_id,
  discoveryTopic: row.discovery_topic,
  topics: JSON.parse(row.topics) as string[],
  components: JSON.parse(row.components) as Record<string, string>,
})
