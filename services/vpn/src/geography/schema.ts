import { z } from 'zod'
import { plainText, wholeNumber } from '../envelope.ts'

export const GeoQuery = z.strictObject({
  by: z
    .enum(['endpoint', 'destination'])
    .default('endpoint')
    .meta({ description: 'Where peers connect from, or where their traffic goes' }),
  hours: z.coerce
    .number()
    .int()
    .min(1)
    .max(8760)
    .default(24)
    .meta({ description: 'So many hours back; beyond a week whole days are counted' }),
  peer: plainText(255).optional().meta({ description: 'Name or id of one peer; administrators only' }),
})
export type GeoQuery = z.infer<typeof GeoQuery>

const amounts = {
  rx_bytes: wholeNumber,
  tx_bytes: wholeNumber,
  total_bytes: wholeNumber,
  percentage: z.number().min(0).max(100).meta({ description: 'Of `total_bytes` of all items; one decimal' }),
  peers: wholeNumber.meta({ description: 'How many peers it was' }),
}

/** Facts about a database of places; null without one. */
const DatabaseFacts = z
  .object({
    type: z.string(),
    build_epoch: wholeNumber.meta({ description: 'When the database was made, seconds since 1970' }),
    file: z.string().meta({ description: 'Name of the file' }),
  })
  .meta({ id: 'GeoDatabase' })
  .nullable()

const source = {
  total_bytes: wholeNumber,
  by: z.enum(['endpoint', 'destination']),
  available: z.boolean().meta({ description: 'True while it is counted' }),
  reason: z.string().nullable().meta({ description: 'Why it is not, or not with the newest database' }),
  databases: z.object({ country: DatabaseFacts, asn: DatabaseFacts }).meta({ id: 'GeoDatabases' }),
}

export type DatabaseFacts = z.infer<typeof DatabaseFacts>

export const CountryTraffic = z
  .object({
    items: z.array(
      z.object({
        code: z.string().meta({ description: 'ISO 3166-1 alpha-2; ZZ for unknown' }),
        name: z.string(),
        ...amounts,
      }),
    ),
    ...source,
  })
  .meta({ id: 'CountryTraffic' })
export type CountryTraffic = z.infer<typeof CountryTraffic>

export const NetworkTraffic = z
  .object({
    items: z.array(
      z.object({
        asn: wholeNumber.meta({ description: 'Number of the autonomous system; 0 for unknown' }),
        organization: z.string().nullable(),
        country: z.string().meta({ description: 'Where most of its traffic was; ISO 3166-1 alpha-2 or ZZ' }),
        ...amounts,
      }),
    ),
    ...source,
  })
  .meta({ id: 'NetworkTraffic' })
export type NetworkTraffic = z.infer<typeof NetworkTraffic>

export const PeerPlaces = z
  .object({
    items: z.array(
      z.object({
        peer_id: z.string(),
        name: z.string(),
        interface: z.string(),
        connected: z.boolean(),
        country: z.string(),
        country_name: z.string(),
        city: z.string().nullable(),
        latitude: z.number().min(-90).max(90).nullable(),
        longitude: z.number().min(-180).max(180).nullable(),
        asn: wholeNumber,
        organization: z.string().nullable(),
      }),
    ),
    available: source.available,
    reason: source.reason,
    databases: source.databases,
  })
  .meta({ id: 'PeerPlaces' })
export type PeerPlaces = z.infer<typeof PeerPlaces>
