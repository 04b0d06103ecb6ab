import { z } from 'zod'
import { MetricName, ValueType } from '../catalog/schema.ts'

/** Metrics shown by a reading without names, and metrics that may be written. */
export const Selection = z
  .strictObject({
    exposed_names: z.array(MetricName).max(894).optional(),
    write_names: z.array(MetricName).max(894).optional(),
  })
  .meta({ id: 'Selection' })
export type Selection = z.output<typeof Selection>

/** Names to allow and names to allow no longer, beside those that stay. */
export const ApprovalChange = z
  .strictObject({
    approve: z.array(MetricName).max(894).default([]),
    revoke: z.array(MetricName).max(894).default([]),
  })
  .meta({ id: 'ApprovalChange' })

/** One object of the catalog as the approval page shows it. */
export const Parameter = z
  .object({
    name: z.string(),
    vendor_name: z.string(),
    group: z.string(),
    unit: z.string().nullable(),
    value_type: ValueType,
    is_action: z.boolean(),
    exposed: z.boolean(),
    approved: z.boolean(),
    writable: z.boolean().meta({ description: 'In the write allowlist' }),
    minimum: z.number().nullable().meta({ description: 'Limit of the wire type, not a safe operating limit' }),
    maximum: z.number().nullable(),
    allowed_values: z.array(z.number()).nullable(),
    labels: z.record(z.string(), z.string()).nullable(),
    help_text: z.string().nullable(),
  })
  .meta({ id: 'Parameter' })
export type Parameter = z.infer<typeof Parameter>

export const ParameterList = z.object({ parameters: z.array(Parameter) }).meta({ id: 'ParameterList' })
