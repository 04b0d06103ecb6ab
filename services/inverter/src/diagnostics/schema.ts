import { z } from 'zod'

const count = z.int().min(0)

export const VendorObject = z
  .object({
    name: z.string(),
    object_id: z.string().meta({ description: '0x and eight hex digits' }),
    protocol_data_type: z.string(),
    effective_byte_width: z.int().nullable(),
    idempotent_write: z.boolean(),
  })
  .meta({ id: 'VendorObject' })
export type VendorObject = z.infer<typeof VendorObject>

/** Counters of one connection; they go on when it is made anew. */
export const Transport = z
  .object({
    endpoint_id: z.string(),
    host: z.string(),
    port: z.int(),
    device_ids: z.array(z.string()),
    network_ids: z.array(z.int().nullable()),
    state: z.string(),
    crc_errors: count,
    framing_errors: count,
    discarded_bytes: count,
    connection_epoch: count.meta({ description: 'Connections so far; reconnects are one less' }),
    unexpected_frames: count,
    foreign_access_suspected: z.boolean(),
    queue_length: count,
    request_gap_ms: z.number(),
    locked: z.boolean().meta({ description: 'Nothing is sent' }),
    lock_reason: z.string().nullable(),
    last_frame_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Transport' })

const byDevice = <T extends z.ZodType>(value: T) => z.record(z.string(), value)

export const UnansweredMetric = z
  .object({ name: z.string(), since: z.iso.datetime(), retry_at: z.iso.datetime() })
  .meta({ id: 'UnansweredMetric' })

export const Transports = z
  .object({
    transports: z.array(Transport),
    periodic_registrations: byDevice(count),
    periodic_available: byDevice(z.boolean().nullable()),
    periodic_setup_failures: byDevice(count),
    periodic_last_failure: byDevice(z.string().nullable()),
    unanswered_metrics: byDevice(z.array(UnansweredMetric)).meta({
      description: 'Metrics that the firmware of a device does not answer, with the time of the next try',
    }),
  })
  .meta({ id: 'Transports' })
export type Transports = z.infer<typeof Transports>

export const SlaveRecord = z
  .record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()]))
  .meta({ id: 'Slave' })

export const SlaveList = z
  .object({
    device_id: z.string(),
    slaves: z.array(SlaveRecord),
    complete: z.boolean().meta({ description: 'Three readings in a row found no other inverter' }),
    error_code: z.string().nullable(),
  })
  .meta({ id: 'SlaveList' })
export type SlaveList = z.infer<typeof SlaveList>

/** One recorded frame. */
export const RecordedFrame = z
  .object({
    at: z.iso.datetime(),
    direction: z.enum(['sent', 'received']),
    command: z.string(),
    address: z.int().nullable(),
    object_id: z.string(),
    name: z.string().nullable(),
    payload: z.string().meta({ description: 'Hexadecimal' }),
    value: z.string().nullable().meta({ description: 'The payload read as the object’s type' }),
  })
  .meta({ id: 'RecordedFrame' })

export const FrameList = z.object({ endpoint_id: z.string(), frames: z.array(RecordedFrame) }).meta({ id: 'FrameList' })
export type FrameList = z.infer<typeof FrameList>

export const FrameQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(2000).default(200) })
