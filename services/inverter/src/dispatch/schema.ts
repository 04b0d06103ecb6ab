import { IsoTime } from '@hearth/runtime'
import { z } from 'zod'
import { switchParameter } from '../metrics/schema.ts'

/** Requested mode of the battery; `export_to_grid` is reserved and refused. */
const DispatchModeRequested = z.enum(['charge_from_grid', 'discharge_to_load', 'hold', 'export_to_grid'])

/** A mode that dispatch carries out. */
export const DispatchMode = DispatchModeRequested.exclude(['export_to_grid']).meta({ id: 'DispatchMode' })
export type DispatchMode = z.infer<typeof DispatchMode>

/** Maximum power of a request, watts; a higher value is taken for a mistake. */
export const maxRequestedPowerW = 50_000

/** A request to start or replace an operation. */
export const DispatchRequest = z
  .strictObject({
    mode: DispatchModeRequested,
    target_soc_percent: z
      .number()
      .optional()
      .meta({ description: 'State of charge that ends the operation, 5 to 95; not for hold' }),
    max_power_w: z
      .number()
      .min(0)
      .max(maxRequestedPowerW)
      .optional()
      .meta({ description: 'Upper bound, clamped to the limit of the device; not for hold' }),
    valid_until: IsoTime.meta({
      format: 'date-time',
      description: 'Latest end, with time zone offset; capped at six hours',
    }),
    expected_operation_id: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'Replace this operation and no other' }),
  })
  .superRefine(({ mode, target_soc_percent: target, max_power_w: power }, context) => {
    const refuse = (member: string, message: string) => context.addIssue({ code: 'custom', path: [member], message })
    if (mode === 'export_to_grid') return
    if (mode === 'hold') {
      if (target !== undefined) refuse('target_soc_percent', 'is not accepted for hold')
      if ((power ?? 0) !== 0) refuse('max_power_w', 'is not accepted for hold')
      return
    }
    if (target === undefined) refuse('target_soc_percent', `is required for ${mode}`)
    if (power === undefined) refuse('max_power_w', `is required for ${mode}`)
    if (power === 0) refuse('max_power_w', 'must be more than 0')
  })
  .meta({ id: 'DispatchRequest' })
export type DispatchRequest = z.infer<typeof DispatchRequest>

export const DispatchRecordQuery = z.strictObject({ force: switchParameter })

export const DispatchState = z.enum([
  'idle',
  'precheck',
  'applying',
  'charging',
  'discharging',
  'holding',
  'replacing',
  'target_reached',
  'restoring',
  'fault',
  'fault_restore_pending',
])
export type DispatchState = z.infer<typeof DispatchState>

/** Reason for the end of an operation. */
export const StopReason = z
  .enum([
    'target_reached',
    'ttl_expired',
    'telemetry_stale',
    'operator_cancelled',
    'shutdown',
    'device_error',
    'write_not_allowed',
    'store_unavailable',
    'device_reconfigured',
    'snapshot_stale',
  ])
  .meta({ id: 'DispatchStopReason' })
export type StopReason = z.infer<typeof StopReason>

const watts = z.number()
const direction = z.enum(['none', 'charge', 'discharge'])

/** A battery that does not follow its setpoint. */
export const Deviation = z
  .object({
    since: z.iso.datetime(),
    band_w: z.number().meta({ description: 'Tolerated difference' }),
    detail: z.string().meta({ description: 'Measurement and possible causes, in words' }),
  })
  .meta({ id: 'DispatchDeviation' })
const timestamp = z.iso.datetime()

/** The current operation of a device's battery, or the last one. */
export const Dispatch = z
  .object({
    device_id: z.string(),
    operation_id: z.string().nullable().meta({ description: '32 hexadecimal digits; null while nothing is active' }),
    mode: DispatchMode.nullable(),
    state: DispatchState,
    phase: z.enum(['idle', 'precheck', 'applying', 'controlling', 'replacing', 'restoring', 'fault']),
    control_state: z
      .enum(['controlled', 'restored', 'unknown'])
      .meta({ description: 'Settings on the device: of this service, its own, or unconfirmed' }),
    restore_required: z.boolean().meta({
      description: 'Settings are partly changed: they are being restored, or will be as soon as possible',
    }),
    target_soc_percent: z.number().nullable(),
    max_power_w: watts.nullable().meta({ description: 'The bound in force' }),
    max_power_w_requested: watts.nullable(),
    max_power_w_clamped: z.boolean(),
    valid_until: timestamp.nullable().meta({ description: 'Latest end, with caps applied' }),
    commanded_direction: direction,
    commanded_power_w: watts.min(0),
    measured_direction: direction
      .nullable()
      .meta({ description: 'Last measurement of the control loop; null before the first round' }),
    measured_power_w: watts.min(0).nullable(),
    measured_at: timestamp.nullable(),
    deviation: Deviation.nullable().meta({
      description: 'The battery has not followed the command for two rounds of the control loop',
    }),
    stop_reason: StopReason.nullable().meta({ description: 'Stop reason of the last or ending operation' }),
    fault_code: z.string().nullable().meta({ description: 'Code of the error that stopped it' }),
    replaced: z.boolean().meta({ description: 'The operation took the place of another' }),
    restore_attempts: z.int().min(0).meta({ description: 'Failed attempts to restore the settings' }),
    next_restore_at: timestamp.nullable(),
  })
  .meta({ id: 'Dispatch' })
export type Dispatch = z.infer<typeof Dispatch>

const registerValue = z.union([z.number(), z.boolean()])

/** Preview of a request; nothing is written for it. */
export const DispatchPreview = z
  .object({
    device_id: z.string(),
    outcome: z
      .enum(['start', 'replace', 'unchanged', 'target_reached'])
      .meta({ description: 'Effect of the same request now' }),
    mode: DispatchMode,
    target_soc_percent: z.number().nullable(),
    battery_soc_percent: z.number(),
    max_power_w: watts.nullable(),
    max_power_w_requested: watts.nullable(),
    max_power_w_clamped: z.boolean(),
    valid_until: timestamp,
    valid_until_clamped: z.boolean(),
    commanded_direction: direction,
    commanded_power_w: watts.min(0),
    changes: z
      .array(z.object({ name: z.string(), from: registerValue, to: registerValue }))
      .meta({ description: 'Registers in the order they would be written' }),
    restores: z
      .array(z.object({ name: z.string(), to: registerValue }))
      .meta({ description: 'Registers in the order they would be written at the end' }),
    warnings: z.array(z.object({ code: z.string(), detail: z.string() })),
  })
  .meta({ id: 'DispatchPreview' })
export type DispatchPreview = z.infer<typeof DispatchPreview>
