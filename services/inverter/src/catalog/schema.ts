import { z } from 'zod'

/** Wire types of the vendor's objects. */
const WireTypeName = z.enum([
  'bool',
  'uint8',
  'int8',
  'enum',
  'uint16',
  'int16',
  'uint32',
  'int32',
  'float',
  'string',
  'struct',
])

/** Types of a value on the API. */
export const ValueType = z.enum(['boolean', 'integer', 'number', 'string', 'enum'])
export type ValueType = z.infer<typeof ValueType>

const objectId = z.string().regex(/^0x[0-9A-F]{8}$/, 'must be eight upper-case hex digits after 0x')

/** Metric names: what appears in paths and in the database. */
export const MetricName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and underscores')

const labels = z.record(z.string().regex(/^\d+$/), z.string())

/** One object of the vendor's protocol as the registry file describes it. */
const RegistryObject = z.object({
  id: objectId,
  /** Vendor's name, such as `battery.soc`. */
  name: z.string().min(1),
  metric: MetricName,
  type: WireTypeName,
  unit: z.string().nullable(),
  group: z.string(),
  enum: z.string().optional(),
  value_type: z.literal('enum').optional(),
  /** API value = wire value * scale. */
  scale: z.number().positive().optional(),
  byte_width: z.int().min(1).max(4).optional(),
  preselected: z.boolean().optional(),
  action: z.boolean().optional(),
  idempotent_write: z.boolean().optional(),
  response: z.enum(['timeseries', 'event_table']).optional(),
  struct_hint: z.string().optional(),
  struct: z.string().optional(),
  help_text: z.string().max(500).optional(),
})

/** Values that may be written to one object, in the unit of the API. */
export const AllowlistEntry = z
  .strictObject({
    name: MetricName,
    id: objectId,
    type: WireTypeName,
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    allowed_values: z.array(z.number()).min(1).optional(),
    /** Values must be a multiple of it, counted from `minimum`. */
    step: z.number().positive().optional(),
  })
  .refine(({ minimum = -Infinity, maximum = Infinity }) => minimum <= maximum, 'has a minimum above its maximum')
export type AllowlistEntry = z.infer<typeof AllowlistEntry>

const bitLabels = z.record(z.string(), z.union([z.string(), z.array(z.string())]))
const names = z.array(MetricName)

/** The registry file: the objects, and which of them play a part. */
export const RegistryFile = z.object({
  meta: z.object({ vendor_specification: z.string(), objects: z.int() }),
  enums: z.record(z.string(), labels),
  bits: z.object({ battery_status: bitLabels }),
  fault_bits: z.object({ labels: z.array(z.string()).length(128) }),
  event_types: z.record(z.string(), z.string()),
  defaults: z.object({
    preselected: names,
    energy_flow: names,
    cards: names,
    periodic: names.max(64),
    heartbeat: MetricName,
    dispatch_registers: names.length(4),
    prometheus_name: z.record(MetricName, z.string()),
  }),
  objects: z.array(RegistryObject).min(1),
  write_allowlist: z.array(AllowlistEntry),
})
export type RegistryFile = z.infer<typeof RegistryFile>

/** A copied allowlist file: the entries alone, or under the name they have in the registry file. */
export const AllowlistFile = z.preprocess(
  (content) =>
    typeof content === 'object' && content !== null && 'write_allowlist' in content ? content.write_allowlist : content,
  z.array(AllowlistEntry, 'must be a list of entries, or an object with the list write_allowlist'),
)
