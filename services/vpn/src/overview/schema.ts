import { z } from 'zod'
import { Timestamp, wholeNumber } from '../envelope.ts'
import { HealthNotice } from '../health/schema.ts'

/** Summary of the whole service. Rates are bytes per second over the last two samples. */
export const Dashboard = z
  .object({
    interfaces: z.object({ total: wholeNumber, active: wholeNumber }),
    peers: z.object({
      total: wholeNumber,
      connected: wholeNumber,
      active: wholeNumber,
      inactive: wholeNumber,
      disabled: wholeNumber,
    }),
    traffic: z.object({
      rx_bytes: wholeNumber,
      tx_bytes: wholeNumber,
      rx_rate: z.number().min(0),
      tx_rate: z.number().min(0),
      today: z
        .object({ rx_bytes: wholeNumber, tx_bytes: wholeNumber })
        .meta({ description: 'Since midnight, UTC; peers deleted today included' }),
      last_handshake: Timestamp.nullable().meta({ description: 'The latest of all peers' }),
    }),
    dns: z
      .object({
        running: z.boolean(),
        blocking_enabled: z.boolean(),
        paused_until: Timestamp.nullable(),
        blocked_names: wholeNumber,
      })
      .meta({ description: 'Figures stand in `GET /api/dns/stats`' }),
    system: z.object({
      version: z.string(),
      uptime_seconds: wholeNumber,
      backend: z.enum(['kernel', 'userspace', 'simulated']),
      backend_reason: z.string().meta({ description: 'Why this data plane was chosen' }),
      backend_advice: z.string().nullable().meta({ description: 'How to get a better one' }),
      sample_duration_ms: z.number().min(0).meta({ description: 'How long the last reading of all devices took' }),
    }),
    health: z
      .array(HealthNotice)
      .meta({ description: 'What is wrong at the moment, the worst first; empty when all is well' }),
    generated_at: Timestamp,
  })
  .meta({ id: 'Dashboard' })
export type Dashboard = z.infer<typeof Dashboard>
