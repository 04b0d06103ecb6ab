import { z } from 'zod'
import { Dashboard } from '../overview/schema.ts'
import { Peer } from '../peers/schema.ts'

/** What changes in a peer without anyone editing it. */
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
 * new counters and statuses of peers; `overview` comes with every sample.
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
    z.object({ type: z.literal('drift'), interface: z.string(), message: z.string() }),
  ])
  .meta({ id: 'ServiceEvent' })
export type ServiceEvent = z.infer<typeof ServiceEvent>
