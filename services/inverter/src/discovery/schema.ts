import { z } from 'zod'

const count = z.int().min(0)
const timestamp = z.iso.datetime()

/** A network that this host is part of. */
export const SearchNetwork = z
  .object({
    network: z.string().meta({ examples: ['192.168.1.0/24'] }),
    interface: z.string(),
    addresses: count,
    reason: z
      .enum(['too_large', 'not_private'])
      .nullable()
      .meta({ description: 'Reason why it is not searched; null when it can be' }),
  })
  .meta({ id: 'SearchNetwork' })
export type SearchNetwork = z.infer<typeof SearchNetwork>

/** Something that listens at the port of inverters. */
export const FoundEndpoint = z
  .object({
    address: z.string(),
    port: z.int(),
    kind: z.enum(['inverter', 'configured', 'other']),
    detail: z.string().nullable().meta({ description: 'What it is instead of an inverter, or what is wrong' }),
    device_id: z.string().nullable().meta({ description: 'The configured inverter at this address' }),
    serial: z.string().nullable(),
    name: z.string().nullable(),
    firmware: z.string().nullable(),
  })
  .meta({ id: 'FoundEndpoint' })
export type FoundEndpoint = z.infer<typeof FoundEndpoint>

/** The search for inverters: the networks of this host, and the search that runs or was the last one. */
export const InverterSearchView = z
  .object({
    networks: z.array(SearchNetwork),
    port: z.int(),
    state: z.enum(['idle', 'searching', 'done', 'cancelled', 'timed_out']),
    begun_at: timestamp.nullable(),
    searched: z.array(z.string()).meta({ description: 'Networks of the search' }),
    checked: count.meta({ description: 'Addresses that were tried' }),
    total: count,
    found: z.array(FoundEndpoint),
  })
  .meta({ id: 'InverterSearchView' })
export type InverterSearchView = z.infer<typeof InverterSearchView>

export const SearchRequest = z
  .strictObject({
    networks: z
      .array(z.string().max(32))
      .min(1)
      .max(8)
      .meta({ description: 'Of those that GET lists; no others are searched' }),
  })
  .meta({ id: 'SearchRequest' })
export type SearchRequest = z.output<typeof SearchRequest>
