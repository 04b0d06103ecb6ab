import { z } from 'zod'
import { MetricName } from '../catalog/schema.ts'

const url = z
  .string()
  .trim()
  .max(300)
  .refine((text) => text === '' || isServerUrl(text), {
    error: 'must be http://HOST or https://HOST, with a port and a path if need be, and nothing else',
  })

const name = z
  .string()
  .max(256)
  .regex(/^[^\p{C}]*$/u, 'must have no control characters')

const secret = { description: 'Never returned; left out it stays as it is, null removes it' }

const values = {
  enabled: z.boolean(),
  url: url.meta({ description: 'Address of the server, without `/write`; empty while it is off' }),
  api: z.enum(['v2', 'v1']).meta({
    description:
      'v2: InfluxDB 2 and 3, with a token; v1: InfluxDB 1 and VictoriaMetrics, with a user and a password or nothing',
  }),
  organization: name.meta({ description: 'v2' }),
  bucket: name.meta({ description: 'v2' }),
  database: name.meta({ description: 'v1' }),
  username: name.meta({ description: 'v1; empty for none' }),
  measurement: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must begin with a letter, then letters, digits, hyphens and underscores')
    .meta({ description: 'Name of the measurement; the tag `device` has the id of the inverter' }),
  metrics: z.array(MetricName).max(64).meta({ description: 'Values that are written, each as a field' }),
  interval_seconds: z.int().min(5).max(3600).meta({ description: 'Interval between two readings' }),
  precision: z.enum(['s', 'ms']).meta({ description: 'Precision of the times' }),
  buffer_mib: z
    .int()
    .min(1)
    .max(1024)
    .meta({ description: 'Size of the buffer on disk; when it is full the oldest points go' }),
}

/** Settings of the time series as they are changed. */
export const TimeSeriesChange = z
  .strictObject({
    ...values,
    token: z.string().min(1).max(1024).nullable().optional().meta(secret),
    password: z.string().min(1).max(1024).nullable().optional().meta(secret),
  })
  .meta({ id: 'TimeSeriesChange' })
export type TimeSeriesChange = z.output<typeof TimeSeriesChange>

/** Settings of the time series without the secrets. */
export const TimeSeriesSettings = z
  .object({ ...values, has_token: z.boolean(), has_password: z.boolean() })
  .meta({ id: 'TimeSeriesSettings' })
export type TimeSeriesSettings = z.infer<typeof TimeSeriesSettings>

const timestamp = z.iso.datetime().nullable()
const count = z.int().min(0)

/** State of writing to the server. */
export const TimeSeriesStatus = z
  .object({
    state: z.enum(['off', 'writing', 'waiting']).meta({ description: 'waiting: for the next attempt after a failure' }),
    since: timestamp.meta({ description: 'When the state began' }),
    last_error: z.string().nullable().meta({ description: 'Reason of the last failure; null while points are taken' }),
    next_attempt_at: timestamp,
    last_written_at: timestamp,
    points_written: count.meta({ description: 'Points that the server took since the start' }),
    points_refused: count.meta({ description: 'Points that the server refused for what they are; they are dropped' }),
    points_overflowed: count.meta({ description: 'Points that were dropped because the buffer was full' }),
    last_refusal: z.string().nullable().meta({ description: 'Reason of the last refused point' }),
    buffered_bytes: count,
  })
  .meta({ id: 'TimeSeriesStatus' })
export type TimeSeriesStatus = z.infer<typeof TimeSeriesStatus>

/** Settings and state of the time series as the administrator sees them. */
export const TimeSeriesView = z
  .object({ settings: TimeSeriesSettings, status: TimeSeriesStatus })
  .meta({ id: 'TimeSeriesView' })
export type TimeSeriesView = z.infer<typeof TimeSeriesView>

/** Result of a test of the connection. */
export const TimeSeriesTest = z.object({ is_ready: z.boolean(), detail: z.string() }).meta({ id: 'TimeSeriesTest' })
export type TimeSeriesTest = z.infer<typeof TimeSeriesTest>

function isServerUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s?#@\\]+$/.test(text) || !URL.canParse(text)) return false
  const { hostname, port } = new URL(text)
  return hostname !== '' && port !== '0'
}
