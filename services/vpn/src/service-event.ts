import { z } from 'zod'
import { done, wholeNumber } from './envelope.ts'
import { UpdateReport } from './lists/schema.ts'
import { Dashboard } from './overview/schema.ts'
import { Peer } from './peers/schema.ts'

/** Members of a peer that change without an edit. */
export const PeerActivity = Peer.pick({
  id: true,
  interface: true,
  status: true,
  connected: true,
  last_handshake: true,
  transfer_rx: true,
  transfer_tx: true,
  endpoint: true,
}).meta({ id: 'PeerActivity' })

/**
 * One event of the stream. `changed` says that a collection was edited, so a page should read it again; `activity` brings
 * new counters and statuses of peers; `overview` comes with every sample; `list-update` reports each step of fetching lists, and
 * `queries` that so many names were looked up since the last one.
 */
export const ServiceEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('hello'), version: z.string() }),
    z.object({
      type: z.literal('changed'),
      collection: z.enum([
        'interfaces',
        'peers',
        'access',
        'users',
        'tokens',
        'settings',
        'dns_rules',
        'dns_records',
        'dns_zones',
        'dns_profiles',
        'dns_requests',
        'dns_pauses',
        'dns_settings',
        'blocklists',
        'hints',
        'nodes',
      ]),
      id: z.string().nullable(),
    }),
    z.object({ type: z.literal('activity'), peers: z.array(PeerActivity) }),
    z.object({ type: z.literal('connection'), id: z.uuid(), name: z.string(), connected: z.boolean() }),
    z.object({ type: z.literal('overview'), overview: Dashboard }),
    z.object({ type: z.literal('list-update'), update: UpdateReport }),
    z.object({ type: z.literal('queries'), count: wholeNumber }),
    z.object({ type: z.literal('drift'), interface: z.string(), message: z.string() }),
  ])
  .meta({ id: 'ServiceEvent' })
export type ServiceEvent = z.infer<typeof ServiceEvent>

/** Collections that make the wanted state of the service. */
export const wantedCollections = [
  'settings',
  'interfaces',
  'peers',
  'access',
  'dns_settings',
  'dns_rules',
  'dns_records',
  'dns_zones',
  'blocklists',
] as const

/** Publishes an event to all subscribers. Never fails and never waits. */
export type Publish = (event: ServiceEvent) => void

/**
 * Creates the answers to edits of a collection. Each waits for the edit, publishes that the collection changed, and carries
 * the edited item with a sentence about it. An item without an id goes by its name.
 */
export function createEditAnswer(
  publish: Publish,
  collection: Extract<ServiceEvent, { type: 'changed' }>['collection'],
) {
  return async <Item extends { id: string } | { name: string }>(
    edit: Promise<Item>,
    message: (item: Item) => string,
  ) => {
    const item = await edit
    publish({ type: 'changed', collection, id: 'id' in item ? item.id : item.name })
    return done(item, message(item))
  }
}
