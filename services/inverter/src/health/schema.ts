import { IsoTime } from '@hearth/runtime'
import { z } from 'zod'

export const Fault = z.object({ bit: z.int(), label: z.string() }).meta({ id: 'Fault' })

const StatusWord = z.object({ raw: z.int(), flags: z.array(z.string()) }).meta({ id: 'StatusWord' })

/** Health as the inverter reports it, in words. */
export const DeviceHealth = z
  .object({
    device_id: z.string(),
    state: z.object({ code: z.int(), label: z.string().nullable() }).nullable(),
    faults: z.array(Fault),
    battery: z.object({
      status: StatusWord.nullable(),
      status2: StatusWord.nullable(),
      has_error: z.boolean(),
      is_calibrating: z.boolean(),
      is_balancing: z.boolean(),
      next_calibration_at: z.iso.datetime().nullable(),
      days_to_calibration: z.number().nullable(),
    }),
    unavailable: z.array(z.string()).meta({ description: 'Metrics that could not be read' }),
  })
  .meta({ id: 'DeviceHealth' })
export type DeviceHealth = z.infer<typeof DeviceHealth>

const timestamp = z.iso.datetime()

/** One row of the inverter's event table. */
export const DeviceEvent = z
  .object({
    type: z.int(),
    label: z.string(),
    at: timestamp,
    until: timestamp.nullable().meta({ description: 'For events that last' }),
    parameter: z
      .object({ name: z.string(), old_raw: z.int(), new_raw: z.int() })
      .nullable()
      .meta({ description: 'What was changed, for a changed parameter' }),
  })
  .meta({ id: 'DeviceEvent' })
export type DeviceEvent = z.infer<typeof DeviceEvent>

export const EventQuery = z.strictObject({ before: IsoTime.optional() })

export const DeviceEvents = z
  .object({ device_id: z.string(), before: timestamp, events: z.array(DeviceEvent) })
  .meta({ id: 'DeviceEvents' })
export type DeviceEvents = z.infer<typeof DeviceEvents>

export const HistoryParams = z.object({ device_id: z.string().max(64), metric_name: z.string().max(128) })

/** Values the inverter logged before a time. */
export const DeviceHistory = z
  .object({
    device_id: z.string(),
    name: z.string(),
    unit: z.string().nullable(),
    before: timestamp,
    points: z.array(z.object({ at: timestamp, value: z.number() })),
  })
  .meta({ id: 'DeviceHistory' })
export type DeviceHistory = z.infer<typeof DeviceHistory>
