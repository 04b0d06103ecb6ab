import { z } from 'zod'

/** Facts about a device that must be verified before it is commanded (docs/reference/inverter-api.md, "Capabilities"). */
export const CapabilityName = z
  .enum([
    'battery_power_sign_convention',
    'grid_power_sign_convention',
    'write_path_convention',
    'export_limit_convention',
    'setpoint_volatility',
  ])
  .meta({ id: 'CapabilityName' })
export type CapabilityName = z.infer<typeof CapabilityName>

const width = z.int().min(1).max(4).nullable()

/** Evidence fields. Null where unknown, and on every capability that does not govern the field. */
export const evidence = {
  battery_discharge_positive: z.boolean().nullable(),
  grid_import_positive: z.boolean().nullable(),
  soc_strategy_external_code: z
    .int()
    .min(0)
    .max(255)
    .nullable()
    .meta({ description: 'Raw value of power_mng_soc_strategy that means external control' }),
  enum_byte_width: width,
  bool_byte_width: width,
  write_frame_layout_verified: z.boolean().nullable(),
  apply_sequence_verified: z.boolean().nullable(),
  sequence_order_relevant: z.boolean().nullable(),
  soc_target_unit: z
    .enum(['ratio', 'percent'])
    .nullable()
    .meta({ description: 'Unit in which power_mng_soc_target_set holds its value' }),
  export_limit_zero_blocks_export: z.boolean().nullable(),
  volatile: z.boolean().nullable().meta({ description: 'The device drops the setpoint unless it is sent again' }),
  refresh_interval_seconds: z.int().min(5).max(3600).nullable(),
} as const

/** Name of a field of the evidence. */
export type EvidenceField = keyof typeof evidence

const deviceText = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')
const note = z
  .string()
  .max(200)
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')

/** State of a capability; commands that need it are refused until it is `verified`. */
export const CapabilityStatus = z.enum(['unverified', 'verified'])

/** One capability of one device. */
export const Capability = z
  .object({
    name: CapabilityName,
    status: CapabilityStatus,
    ...evidence,
    verified_device_model: z.string().nullable(),
    verified_firmware: z.string().nullable(),
    verified_at: z.iso.datetime().nullable(),
    verified_by: z.string().nullable(),
    note: z.string().nullable(),
  })
  .meta({ id: 'Capability' })
export type Capability = z.infer<typeof Capability>

/** Replacement of the whole record: a field that is absent or null returns to the assumption made for an unknown device. */
export const CapabilityUpdate = z
  .strictObject({
    status: CapabilityStatus,
    ...(Object.fromEntries(Object.entries(evidence).map(([name, schema]) => [name, schema.optional()])) as {
      [Name in EvidenceField]: z.ZodOptional<(typeof evidence)[Name]>
    }),
    verified_device_model: deviceText.nullable().optional(),
    verified_firmware: deviceText.nullable().optional(),
    note: note.nullable().optional(),
  })
  .meta({ id: 'CapabilityUpdate' })
export type CapabilityUpdate = z.infer<typeof CapabilityUpdate>

export const DeviceCapabilities = z
  .object({ device_id: z.string(), capabilities: z.array(Capability) })
  .meta({ id: 'DeviceCapabilities' })
export type DeviceCapabilities = z.infer<typeof DeviceCapabilities>

export const CapabilityCopy = z
  .strictObject({
    source_device_id: z.string().min(1).max(64),
    target_device_model: deviceText,
    target_firmware: deviceText,
  })
  .meta({ id: 'CapabilityCopy' })
export type CapabilityCopy = z.infer<typeof CapabilityCopy>

/** Result of a copy, with the reason for each capability that was not copied. */
export const CapabilityCopied = z
  .object({
    device_id: z.string(),
    copied: z.array(CapabilityName),
    not_copied: z.array(
      z.object({ name: CapabilityName, reason: z.enum(['not_verified', 'other_device_model', 'other_firmware']) }),
    ),
    capabilities: z.array(Capability),
  })
  .meta({ id: 'CapabilityCopied' })
export type CapabilityCopied = z.infer<typeof CapabilityCopied>

/** Path parameter of the routes that control or describe one device. */
export const CapabilityDeviceParams = z.object({ device_id: z.string().min(1).max(64) })
export const CapabilityParams = CapabilityDeviceParams.extend({ name: CapabilityName })
