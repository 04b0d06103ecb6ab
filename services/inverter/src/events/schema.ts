import { z } from 'zod'
import { MetricValue } from '../metrics/schema.ts'
import { DeviceReadiness } from '../readiness/schema.ts'

/**
 * One event of the stream. `values` brings what the device gave, `readiness` how it stands, `dispatch` and `energy` that the
 * battery's control changed, `changed` that something was edited and should be read again.
 */
export const GatewayEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('hello'), version: z.string() }),
    z.object({ type: z.literal('values'), device_id: z.string(), values: z.array(MetricValue) }),
    z.object({ type: z.literal('readiness'), device: DeviceReadiness }),
    z.object({ type: z.literal('dispatch'), device_id: z.string() }),
    z.object({ type: z.literal('energy'), device_id: z.string() }),
    z.object({
      type: z.literal('changed'),
      collection: z.enum([
        'devices',
        'parameters',
        'settings',
        'tokens',
        'capabilities',
        'mqtt',
        'shared-port',
        'energy-history',
        'time-series',
        'plans',
        'snapshots',
        'inverter-search',
        'plant',
      ]),
    }),
  ])
  .meta({ id: 'GatewayEvent' })
export type GatewayEvent = z.infer<typeof GatewayEvent>
