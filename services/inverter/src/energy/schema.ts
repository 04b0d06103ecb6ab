import { z } from 'zod'
import { CapabilityName, CapabilityStatus } from '../capabilities/schema.ts'
import { Deviation, maxRequestedPowerW } from '../dispatch/schema.ts'

/** Targets the Energy Manager takes, percent. */
export const targetWindow = { min: 7, max: 95 } as const

export const EnergyMode = z
  .enum(['off', 'manual', 'external'])
  .meta({ id: 'EnergyMode', description: 'Battery control: off, by the web pages, or by the API' })
export type EnergyMode = z.infer<typeof EnergyMode>

/** Business action of the Energy Manager. */
export const EnergyAction = z.enum(['charge', 'discharge', 'hold', 'auto']).meta({ id: 'EnergyAction' })
export type EnergyAction = z.infer<typeof EnergyAction>

/** A command. Members that do not fit the action are refused last, after every other check. */
export const EnergyCommand = z
  .strictObject({
    action: EnergyAction,
    target_soc_percent: z
      .number()
      .min(7)
      .max(97)
      .optional()
      .meta({ description: 'Needed for charge and discharge; 7 to 95' }),
    max_power_w: z
      .number()
      .positive()
      .max(maxRequestedPowerW)
      .optional()
      .meta({ description: 'For charge and discharge; the limit of the device when left out' }),
  })
  .meta({ id: 'EnergyCommand' })
export type EnergyCommand = z.infer<typeof EnergyCommand>

export const EnergyModeChange = z.strictObject({ mode: EnergyMode }).meta({ id: 'EnergyModeChange' })

export const EnergyStopReason = z
  .enum([
    'target_reached',
    'time_limit_reached',
    'telemetry_unavailable',
    'stopped_by_operator',
    'device_state_unreadable',
    'write_not_permitted',
    'device_error',
    'service_unavailable',
    'service_shutdown',
    'device_changed',
  ])
  .meta({ id: 'EnergyStopReason' })
export type EnergyStopReason = z.infer<typeof EnergyStopReason>

export const Unavailable = z.enum([
  'mode_off',
  'write_not_permitted',
  'limits_missing',
  'hardware_not_verified',
  'restore_required',
])
export type Unavailable = z.infer<typeof Unavailable>

const reading = z
  .object({
    value: z.number().nullable(),
    age_seconds: z.number().min(0).nullable(),
    stale: z.boolean(),
  })
  .meta({ id: 'EnergyReading' })
const watts = z.number().min(0)

const state = {
  device_id: z.string(),
  mode: EnergyMode,
  armed: z.boolean(),
  accepts_commands_from: z.enum(['none', 'admin', 'api']),
  state: z.enum(['automatic', 'starting', 'charging', 'discharging', 'holding', 'stopping', 'fault']),
  action: EnergyAction.nullable().meta({
    description: 'Running action; null in automatic mode',
  }),
  target_soc_percent: z.number().nullable(),
  power_limit_w: watts.nullable(),
  power_limit_clamped: z.boolean().meta({ description: 'The limit of the device is lower than requested' }),
  commanded_power_w: watts,
  commanded_direction: z.enum(['none', 'charge', 'discharge']),
  measured_power_w: watts.nullable().meta({ description: 'Measured at the battery; null while unknown' }),
  measured_direction: z.enum(['none', 'charge', 'discharge']).nullable(),
  deviation: Deviation.nullable().meta({ description: 'The battery does not follow the command' }),
  until: z.iso.datetime().nullable(),
  stop_reason: EnergyStopReason.nullable(),
  time_limited: z.boolean().meta({ description: 'Ends earlier because not all capabilities are verified' }),
  target_soc_window: z.object({ min: z.number(), max: z.number() }).meta({ id: 'EnergyTargetWindow' }),
  readings: z
    .object({
      battery_soc_percent: reading,
      grid_power_w: reading,
      pv_power_w: reading,
      house_load_w: reading,
      battery_power_w: reading,
    })
    .meta({ id: 'EnergyReadings' })
    .meta({ description: 'Import from the grid and discharge of the battery are positive' }),
  actions: z.array(
    z
      .object({ action: EnergyAction, available: z.boolean(), reason: Unavailable.nullable() })
      .meta({ id: 'EnergyActionState' }),
  ),
}

/** State of a device's Energy Manager and the actions available. */
export const Energy = z.object(state).meta({ id: 'Energy' })
export type Energy = z.infer<typeof Energy>

const gate = z.enum(['verified', 'engineering', 'closed'])

/** The state with the details for administrators. */
export const EnergyDevice = z
  .object({
    ...state,
    device_name: z.string(),
    connection_state: z.string().nullable(),
    write_support_enabled: z.boolean(),
    engineering_mode: z.boolean(),
    max_charge_power_w: watts.nullable(),
    max_discharge_power_w: watts.nullable(),
    grid_limit_w: watts.nullable().meta({ description: 'Limit of the grid connection, which a charge stays below' }),
    gates: z.object({ charge: gate, discharge: gate, hold: gate }),
    capabilities: z.array(
      z.object({
        name: CapabilityName,
        status: CapabilityStatus,
        missing_evidence: z.array(z.string()).meta({ description: 'Evidence without which it cannot be verified' }),
      }),
    ),
    required_names: z.array(z.string()),
    approved_names: z.array(z.string()),
    mode_changed_at: z.iso.datetime().nullable(),
    mode_changed_by: z.string().nullable(),
    fault_code: z.string().nullable(),
    restore_attempts: z.int().min(0),
    next_restore_at: z.iso.datetime().nullable(),
    stops: z
      .array(
        z.object({
          at: z.iso.datetime(),
          action: EnergyAction,
          reason: EnergyStopReason,
          operation_id: z.string(),
        }),
      )
      .meta({ description: 'Newest first, at most 50' }),
  })
  .meta({ id: 'EnergyDevice' })
export type EnergyDevice = z.infer<typeof EnergyDevice>

export const EnergyDevices = z.object({ devices: z.array(EnergyDevice) }).meta({ id: 'EnergyDevices' })
