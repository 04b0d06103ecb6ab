import { z } from 'zod'

/** Port that inverters listen at, and that programs use when nobody tells them another one. */
export const usualPort = 8899

/** Identifier of a device, as in paths. */
export const DeviceId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'must be letters, digits, dots, hyphens and underscores, at most 64')

const host = z
  .string()
  .trim()
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,252})|[0-9A-Fa-f:]{2,45}(?:%\w+)?)$/,
    'must be a host name or an IP address',
  )
const port = z.int().min(1).max(65_535)
const networkId = z.int().min(0).max(0xff_ff_ff_ff)
const displayName = z.string().trim().max(64)
const gap = z.int().min(0).max(5000).meta({ description: 'Pause between two requests, milliseconds' })

export const DeviceCreate = z
  .strictObject({
    device_id: DeviceId,
    host,
    port: port.default(usualPort),
    network_id: networkId
      .nullable()
      .default(null)
      .meta({ description: 'Plant address of a further inverter behind the endpoint' }),
    display_name: displayName.default(''),
    request_gap_ms: gap.default(80),
    periodic_reads: z.boolean().default(true),
  })
  .meta({ id: 'DeviceCreate' })
export type DeviceCreate = z.output<typeof DeviceCreate>

export const DeviceChange = z
  .strictObject({
    host: host.optional(),
    port: port.optional(),
    network_id: networkId.nullable().optional(),
    display_name: displayName.optional(),
    request_gap_ms: gap.optional(),
    periodic_reads: z.boolean().optional(),
  })
  .meta({ id: 'DeviceChange' })
export type DeviceChange = z.output<typeof DeviceChange>

/** Address of a device to try before it is saved. */
export const ConnectionTest = z
  .strictObject({ host, port: port.default(usualPort), network_id: networkId.nullable().default(null) })
  .meta({ id: 'ConnectionTest' })
export type ConnectionTest = z.output<typeof ConnectionTest>

/** One step of a connection test; what comes after a failed one is left out. */
export const ConnectionStep = z
  .object({
    name: z.enum(['address', 'port', 'protocol', 'checksum', 'identity', 'others', 'speed']),
    state: z.enum(['ok', 'warning', 'failed']),
    text: z.string(),
    advice: z.string().nullable().meta({ description: 'What to do about it' }),
  })
  .meta({ id: 'ConnectionStep' })
export type ConnectionStep = z.infer<typeof ConnectionStep>

/** Result of a connection test; `serial`, `firmware` and `state` are null when they could not be read. */
export const ConnectionResult = z
  .object({
    reachable: z.boolean(),
    detail: z.string(),
    steps: z.array(ConnectionStep),
    serial: z.string().nullable(),
    firmware: z.string().nullable(),
    state: z.string().nullable(),
    took_ms: z.int(),
  })
  .meta({ id: 'ConnectionResult' })
export type ConnectionResult = z.infer<typeof ConnectionResult>

export const DeviceRole = z.enum(['master', 'slave', 'standalone'])

/** A device as programs see it. */
export const PublicDevice = z
  .object({ device_id: z.string(), display_name: z.string(), role: DeviceRole, ready: z.boolean() })
  .meta({ id: 'Device' })
export type PublicDevice = z.infer<typeof PublicDevice>

/** State of the connection to a device; `maintenance` means that the device is in its bootloader. */
export const DeviceState = z.enum(['ok', 'degraded', 'unreachable', 'maintenance', 'starting'])
export type DeviceState = z.infer<typeof DeviceState>

/** A device as its administrator sees it. */
export const AdminDevice = PublicDevice.extend({
  host: z.string(),
  port: z.int(),
  network_id: z.int().nullable(),
  is_simulated: z.boolean(),
  request_gap_ms: z.int(),
  periodic_reads: z.boolean(),
  max_charge_power_w: z.number().nullable(),
  max_discharge_power_w: z.number().nullable(),
  engineering_mode: z.boolean(),
  firmware: z.string().nullable(),
  state: DeviceState,
  last_success_at: z.iso.datetime().nullable(),
}).meta({ id: 'AdminDevice' })
export type AdminDevice = z.infer<typeof AdminDevice>

export const AdminDeviceList = z.object({ devices: z.array(AdminDevice) }).meta({ id: 'AdminDeviceList' })

const watts = z.number().min(1).max(50_000).nullable()

/** Change of the power limits and the engineering mode; an absent field stays as it is. */
export const DispatchDeviceChange = z
  .strictObject({
    max_charge_power_w: watts.optional(),
    max_discharge_power_w: watts.optional(),
    engineering_mode: z.boolean().optional(),
  })
  .meta({ id: 'DispatchDeviceChange' })
export type DispatchDeviceChange = z.output<typeof DispatchDeviceChange>
