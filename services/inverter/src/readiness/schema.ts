import { z } from 'zod'
import { DeviceState } from '../devices/schema.ts'

const timestamp = z.iso.datetime().nullable()
const count = z.int().min(0)

/** Readiness of one device. */
export const DeviceReadiness = z
  .object({
    device_id: z.string(),
    ready: z.boolean(),
    state: DeviceState,
    periodic_available: z
      .boolean()
      .nullable()
      .meta({ description: 'Periodic reads are registered on the live connection; null when they are not configured' }),
    periodic_setup_failures: count,
    foreign_access_suspected: z.boolean(),
    consecutive_failures: count,
    liveness_source: z.enum(['transaction', 'periodic', 'heartbeat']).nullable(),
    last_success_at: timestamp,
    last_heartbeat_at: timestamp,
    queue_length: count,
    transactions: count,
    failures: count,
    cache_hits: count,
    cache_misses: count,
    dispatch_restore_pending: z.boolean(),
    dispatch_record_corrupt: z.boolean(),
    unanswered_metrics: z.array(z.string()).meta({
      description: 'Metrics that the firmware does not answer; they are skipped and retried from time to time',
    }),
  })
  .meta({ id: 'DeviceReadiness' })
export type DeviceReadiness = z.infer<typeof DeviceReadiness>

export const Readiness = z
  .object({ ready: z.literal(true), devices: z.array(DeviceReadiness) })
  .meta({ id: 'Readiness' })
export type Readiness = z.infer<typeof Readiness>
