import { z } from 'zod'
import { idText, pageQuery, plainText, Timestamp, wholeNumber } from '../../envelope.ts'

/** Zones, at most. */
export const maxZones = 1000

const zone = plainText(255)
  .min(1)
  .meta({
    description:
      'A domain, with everything below it, or a network, which stands for its reverse names (PTR); of several zones that a name is in the longest counts',
    examples: ['corp.example', '10.in-addr.arpa', '192.168.0.0/16'],
  })

const server = plainText(400).min(3)

const servers = z
  .array(server)
  .min(1)
  .max(4)
  .meta({
    description:
      'Servers to ask, in the order of preference, written as upstreams are: `udp://IP[:53]`, `tcp://IP`, `tls://IP#name`, `https://host/path[#IP]`',
    examples: [['udp://10.0.0.53', 'tls://10.0.1.53#dns.corp.example']],
  })

/** State of a server of zones, as the resolver knows it. */
export const DnsZoneServer = z
  .object({
    server: z.string(),
    queries: wholeNumber.meta({ description: 'Queries sent to it, for all zones it is in' }),
    failures: wholeNumber.meta({ description: 'How many of them got no answer in time, or a refusal' }),
    average_ms: z.number().min(0).nullable(),
    healthy: z.boolean(),
    failing_since: Timestamp.nullable().meta({ description: 'Time of the first failure since its last answer' }),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'DnsZoneServer' })
export type DnsZoneServer = z.infer<typeof DnsZoneServer>

/** A zone whose names the resolver sends to servers of its own. */
export const DnsZone = z
  .object({
    id: z.uuid(),
    zone: z.string().meta({ description: 'Lower case, international names in punycode; a network without host bits' }),
    names: z.array(z.string()).meta({ description: 'The domains that make it: several for some networks' }),
    servers: z.array(z.string()),
    state: z.array(DnsZoneServer).meta({ description: 'Of each server; empty while the resolver does not run' }),
    created_at: Timestamp,
    created_by: z.string().nullable(),
  })
  .meta({ id: 'DnsZone' })
export type DnsZone = z.infer<typeof DnsZone>

/** A zone to create. */
export const DnsZoneCreate = z.strictObject({ zone, servers }).meta({ id: 'DnsZoneCreate' })
export type DnsZoneCreate = z.infer<typeof DnsZoneCreate>

export const DnsZoneUpdate = z
  .strictObject({ zone: zone.optional(), servers: servers.optional() })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'DnsZoneUpdate' })
export type DnsZoneUpdate = z.infer<typeof DnsZoneUpdate>

export const DnsZoneListQuery = z.strictObject({
  ...pageQuery(50),
  search: plainText(255).optional().meta({ description: 'Part of a zone or of a server' }),
})
export type DnsZoneListQuery = z.infer<typeof DnsZoneListQuery>

export const DnsZoneParams = z.object({ id: idText })

export const DnsZoneDeleted = z.object({ id: z.uuid(), zone: z.string() }).meta({ id: 'DnsZoneDeleted' })

/** Servers to try before they are stored. */
export const DnsZoneTest = z.strictObject({ zone, servers }).meta({ id: 'DnsZoneTest' })
export type DnsZoneTest = z.infer<typeof DnsZoneTest>

/** What became of a question about the zone, server by server. */
export const DnsZoneTestResult = z
  .object({
    servers: z.array(
      z.object({
        server: z.string(),
        ok: z.boolean(),
        milliseconds: z.number().min(0).nullable(),
        error: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'DnsZoneTestResult' })
export type DnsZoneTestResult = z.infer<typeof DnsZoneTestResult>
