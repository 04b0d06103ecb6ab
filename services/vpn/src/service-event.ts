import { z } from 'zod'
import { wholeNumber } from './envelope.ts'
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
        'users',
        'tokens',
        'settings',
        'dns_rules',
        'dns_settings',
        'blocklists',
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

/** Sends an event to everyone who listens. Never fails and never waits. */
export type Publish = (event: ServiceEvent) => void
