import { z } from 'zod'
import { pageQuery, Timestamp, wholeNumber } from '../envelope.ts'
import { QueryTime } from '../traffic/schema.ts'

const bytes = {
  rx_bytes: wholeNumber.meta({ description: 'Bytes received from the peer' }),
  tx_bytes: wholeNumber.meta({ description: 'Bytes sent to the peer' }),
}

const period = {
  from: QueryTime.optional().meta({ description: 'Only connections that lasted after this time' }),
  to: QueryTime.optional().meta({ description: 'Only connections that began before this time' }),
}

/** A time in which a peer was connected without a pause. */
export const PeerConnection = z
  .object({
    began_at: Timestamp.meta({ description: 'Its first handshake' }),
    ended_at: Timestamp.nullable().meta({ description: '180 s after its last handshake; null while it lasts' }),
    duration_seconds: wholeNumber,
    ...bytes,
    addresses: z
      .array(
        z.object({
          address: z.string().nullable().meta({ description: 'Without port; null for all beyond sixteen' }),
          country_code: z.string().nullable().meta({ description: 'Null without a database of countries' }),
          country: z.string().nullable(),
          ...bytes,
        }),
      )
      .meta({ description: 'Where it connected from, the last address used at the end' }),
    address_changes: wholeNumber.meta({ description: 'How often the address changed meanwhile' }),
  })
  .meta({ id: 'PeerConnection' })
export type PeerConnection = z.infer<typeof PeerConnection>

export const ConnectionQuery = z.strictObject({ ...pageQuery(50), ...period })
export type ConnectionQuery = z.infer<typeof ConnectionQuery>

export const ConnectionExportQuery = z.strictObject(period)
export type ConnectionExportQuery = z.infer<typeof ConnectionExportQuery>

export const TimelineQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(90).default(30) })
export type TimelineQuery = z.infer<typeof TimelineQuery>

/** Times in which a peer was connected, for a picture. */
export const ConnectionTimeline = z
  .object({
    from: Timestamp,
    to: Timestamp,
    connections: wholeNumber,
    spans: z
      .array(z.object({ began_at: Timestamp, ended_at: Timestamp }))
      .meta({ description: 'Oldest first; connections less than five minutes apart are one span' }),
  })
  .meta({ id: 'ConnectionTimeline' })
export type ConnectionTimeline = z.infer<typeof ConnectionTimeline>
