import { z } from 'zod'
import { ValueType } from '../catalog/schema.ts'

/** One entry of the metric list. */
export const Metric = z
  .object({
    name: z.string(),
    unit: z.string().nullable(),
    value_type: ValueType,
    writable: z.boolean().meta({ description: 'Approved for writing' }),
    preselected: z.boolean().meta({ description: 'Part of a reading without names' }),
    is_action: z.boolean(),
    help_text: z.string().nullable(),
  })
  .meta({ id: 'Metric' })
export type Metric = z.infer<typeof Metric>

const value = z.union([z.number(), z.boolean(), z.string(), z.record(z.string(), z.unknown())])

/** A value with its source and age. */
export const MetricValue = z
  .object({
    name: z.string(),
    value,
    unit: z.string().nullable(),
    timestamp: z.iso.datetime().meta({ description: 'When the device gave the value, UTC' }),
    age_seconds: z.number().min(0),
    stale: z.boolean().meta({ description: 'From the cache, because it could not be refreshed' }),
    stale_reason: z
      .enum([
        'device_timeout',
        'device_unreachable',
        'protocol_error',
        'queue_full',
        'queue_timeout',
        'device_maintenance',
      ])
      .nullable(),
    source: z.enum(['device', 'cache']),
    freshness: z.enum(['observed', 'cached']).nullable().meta({ description: 'Only with fresh=true' }),
    enum_value: z.int().nullable(),
    enum_label: z.string().nullable(),
  })
  .meta({ id: 'MetricValue' })
export type MetricValue = z.infer<typeof MetricValue>

export const MetricFailure = z
  .object({ name: z.string(), code: z.string(), detail: z.string() })
  .meta({ id: 'MetricFailure' })
export type MetricFailure = z.infer<typeof MetricFailure>

export const MetricBatch = z
  .object({ device_id: z.string(), metrics: z.array(MetricValue), errors: z.array(MetricFailure) })
  .meta({ id: 'MetricBatch' })
export type MetricBatch = z.infer<typeof MetricBatch>

/** Query parameter that is `true` or `false`; `false` when left out. */
export const switchParameter = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .default('false')
  .transform((text) => text === 'true')

export const BatchQuery = z.strictObject({ names: z.string().optional(), fresh: switchParameter })
export const SingleQuery = z.strictObject({ fresh: switchParameter })

/** Path parameters of a route of one device; an id that is not configured is refused later, with 404. */
export const DeviceParams = z.object({ device_id: z.string().max(64) })
export const MetricParams = z.object({ device_id: z.string().max(64), metric_name: z.string().max(128) })
export const ActionParams = z.object({ device_id: z.string().max(64), action_name: z.string().max(128) })

/** Body of a write: one scalar in the unit of the metric. */
export const WriteBody = z
  .strictObject({
    value: z.union([z.number(), z.boolean(), z.string()], { error: 'must be a number, a boolean or text' }),
  })
  .meta({ id: 'WriteBody' })

const scalar = z.union([z.number(), z.boolean(), z.string()])

export const WriteResult = z
  .object({
    device_id: z.string(),
    name: z.string(),
    written_value: scalar,
    readback_value: scalar.nullable(),
    confirmed: z.boolean(),
    send_unconfirmed: z
      .boolean()
      .meta({ description: 'The connection was lost while the value was sent; it was confirmed by reading it back' }),
    timestamp: z.iso.datetime(),
  })
  .meta({ id: 'WriteResult' })
export type WriteResult = z.infer<typeof WriteResult>

export const ActionResult = z
  .object({
    device_id: z.string(),
    name: z.string(),
    requested_value: scalar,
    readback_value: scalar.nullable(),
    action_confirmed: z.literal(false),
    action_note: z.string(),
    timestamp: z.iso.datetime(),
  })
  .meta({ id: 'ActionResult' })
export type ActionResult = z.infer<typeof ActionResult>
