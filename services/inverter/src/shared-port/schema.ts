import { z } from 'zod'
import { MetricName } from '../catalog/schema.ts'
import { DeviceId } from '../devices/schema.ts'

const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an IP address, or a network such as 192.168.1.0/24',
})

const SharedInverter = z.strictObject({
  device_id: DeviceId,
  port: z.int().min(1).max(65_535),
})

/** A program, or several, known by the address that it connects from. */
export const SharedClient = z
  .strictObject({
    name: z.string().trim().min(1).max(64),
    network: network.meta({ description: 'Address or network that it connects from', examples: ['192.168.1.20'] }),
    may_write: z
      .array(MetricName)
      .max(64)
      .meta({ description: 'Metrics and actions that it may write while they are approved and write access is on' }),
  })
  .meta({ id: 'SharedClient' })
export type SharedClient = z.infer<typeof SharedClient>

/** Settings of the shared ports. */
export const SharedPortSettings = z
  .strictObject({
    enabled: z.boolean(),
    bind_address: z.union([z.ipv4(), z.ipv6()]).meta({ description: 'Address of this host to listen at' }),
    inverters: z.array(SharedInverter).max(16).meta({ description: 'Each inverter has a port of its own' }),
    clients: z.array(SharedClient).max(32).meta({ description: 'Who may connect: the first network that fits counts' }),
    cache_seconds: z.int().min(0).max(60).meta({
      description: 'A value that was read in this time is not read again for another client',
    }),
  })
  .meta({ id: 'SharedPortSettings' })
export type SharedPortSettings = z.infer<typeof SharedPortSettings>

const count = z.int().min(0)
const timestamp = z.iso.datetime()

/** What was refused last, and why. */
export const SharedPortRefusal = z
  .object({ at: timestamp, address: z.string(), detail: z.string() })
  .meta({ id: 'SharedPortRefusal' })
export type SharedPortRefusal = z.infer<typeof SharedPortRefusal>

/** A port at which an inverter is shared. */
export const SharedPortState = z
  .object({
    device_id: z.string(),
    port: z.int(),
    state: z.enum(['listening', 'failed']),
    error: z.string().nullable(),
    requests: count.meta({ description: 'Requests since the port is open' }),
    from_cache: count.meta({ description: 'Requests that were answered without asking the inverter' }),
    unanswered: count.meta({ description: 'Requests without an answer, as an inverter that does not know an object' }),
    written: count,
    refused: count.meta({ description: 'Writes and connections that were refused' }),
    last_refusal: SharedPortRefusal.nullable(),
  })
  .meta({ id: 'SharedPortState' })
export type SharedPortState = z.infer<typeof SharedPortState>

/** A connected client. */
export const SharedConnection = z
  .object({
    device_id: z.string(),
    name: z.string(),
    address: z.string(),
    connected_at: timestamp,
    requests: count,
  })
  .meta({ id: 'SharedConnection' })
export type SharedConnection = z.infer<typeof SharedConnection>

/** Settings and state of the shared ports. */
export const SharedPortView = z
  .object({
    settings: SharedPortSettings,
    ports: z.array(SharedPortState),
    connections: z.array(SharedConnection),
  })
  .meta({ id: 'SharedPortView' })
export type SharedPortView = z.infer<typeof SharedPortView>
