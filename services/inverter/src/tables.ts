import type { SessionRow, TokenRow } from '@hearth/accounts'
import { notificationTableNames, type NotificationTables } from '@hearth/notifications'
import type { AccountTables } from './accounts/tables.ts'

export type { AdministratorRow } from './accounts/tables.ts'

/** Rows as they are stored. Timestamps are milliseconds since the epoch, booleans 0 or 1, documents JSON text. */
export interface Tables extends AccountTables, NotificationTables {
  /** Facts about the database itself. */
  facts: SettingRow
  settings: SettingRow
  sessions: SessionRow<'username', SessionColumns>
  tokens: TokenRow<'token_hash', TokenColumns>
  devices: DeviceRow
  /** Metrics and actions that may be written. */
  approvals: { name: string; approved_at: number }
  capabilities: CapabilityRow
  energy_modes: EnergyModeRow
  energy_stops: EnergyStopRow
  dispatch_records: DispatchRow
  journal: JournalRow
  mqtt_published: MqttPublishedRow
  mqtt_counters: MqttCounterRow
  energy_meters: EnergyMeterRow
  energy_slots: EnergySlotRow
  energy_hours: EnergyHourRow
  energy_days: EnergyDayRow
  parameter_snapshots: ParameterSnapshotRow
  parameter_notices: ParameterNoticeRow
  check_restores: CheckRestoreRow
  plans: PlanRow
  plan_prices: PlanPriceRow
  plan_forecasts: PlanForecastRow
  plan_choices: PlanChoiceRow
  plan_days: PlanDayRow
}

/** Columns of sessions that this service adds. */
export interface SessionColumns {
  /** `openid` for a sign-in through a provider, whoever it was; null for the administrator's own. */
  method: 'openid' | null
}

/** Names of the tables, those that others refer to first; challenges live for two minutes. */
export const tableNames = [
  'facts',
  'settings',
  'administrators',
  'sessions',
  'openid_sessions',
  'tokens',
  'recovery_codes',
  'passkeys',
  'security_events',
  'openid_connection',
  'devices',
  'approvals',
  'capabilities',
  'energy_modes',
  'energy_stops',
  'dispatch_records',
  'journal',
  'mqtt_published',
  'mqtt_counters',
  'energy_meters',
  'energy_slots',
  'energy_hours',
  'energy_days',
  'parameter_snapshots',
  'parameter_notices',
  'check_restores',
  'plans',
  'plan_prices',
  'plan_forecasts',
  'plan_choices',
  'plan_days',
  ...notificationTableNames,
] as const satisfies readonly (keyof Tables)[]

/**
 * Tables of a backup: all but the running dispatches and checks, whose settings would otherwise be restored on an inverter that
 * has changed since.
 */
export const backupTableNames = tableNames.filter((name) => name !== 'dispatch_records' && name !== 'check_restores')

/** A named value, as JSON. */
interface SettingRow {
  name: string
  value: string
}

/** Columns of API tokens that this service adds. */
export interface TokenColumns {
  role: 'read' | 'read_write'
}

/** A configured inverter. */
export interface DeviceRow {
  id: string
  display_name: string
  /** Host name or address; empty for the simulated one, which is wherever it listens. */
  host: string
  port: number
  /** Plant address on the endpoint; null for the device that answers without one. */
  network_id: number | null
  is_simulated: number
  /** Pause between two requests, milliseconds. */
  request_gap_ms: number
  /** 1 if the device is set up to send values by itself. */
  periodic_reads: number
  /** Watts; null until the operator sets them. */
  max_charge_power_w: number | null
  max_discharge_power_w: number | null
  engineering_mode: number
  /** Firmware revision seen last, to notice an update. */
  firmware: string | null
  /** Serial number seen last, to notice that another inverter answers at the address. */
  serial: string | null
  created_at: number
}

/** A capability as recorded for one device; a device without a row has the default. */
export interface CapabilityRow {
  device_id: string
  name: string
  /** JSON of the whole record. */
  record: string
}

/** The battery control mode of a device; a device without a row is `off`. */
export interface EnergyModeRow {
  device_id: string
  mode: 'off' | 'manual' | 'external'
  changed_at: number
  changed_by: string
}

/** The end of one action of the Energy Manager; the oldest rows of a device are removed. */
export interface EnergyStopRow {
  id?: number
  device_id: string
  at: number
  action: string
  reason: string
  operation_id: string
}

/** The persisted dispatch of one device; see `dispatch/record.ts`. */
export interface DispatchRow {
  device_id: string
  /** Increases with every change, so that of two concurrent writers one fails. */
  version: number
  state: string
  restore_required: number
  /** JSON of the whole record. */
  record: string
}

/** One write that was sent to a device. Rows never change; the oldest are removed. */
export interface JournalRow {
  id?: number
  at: number
  device_id: string
  metric: string
  /** JSON values. */
  old_value: string | null
  new_value: string
  readback_value: string | null
  outcome: 'confirmed' | 'unconfirmed' | 'failed'
  /** Purpose of the write: `api`, `admin`, `dispatch`, `restore`, `energy`. */
  cause: string
  /** Name of the token, or the user. */
  caller: string | null
  operation_id: string | null
}

/** Retained messages of one device at the broker, so that they are removed when the device or the topic is. */
export interface MqttPublishedRow {
  discovery_topic: string
  device_id: string
  /** JSON list of the other retained topics. */
  topics: string
  /** JSON object: the platform of each component of the discovery message by its key. */
  components: string
}

/** A counter as it was published; see `metrics/counter.ts`. */
export interface MqttCounterRow {
  device_id: string
  metric: string
  /** JSON of the whole counter. */
  counter: string
}

/** The energy history of one inverter: what continues it after a restart. */
export interface EnergyMeterRow {
  device_id: string
  /** Stands for the device in the rows of its history. */
  number: number
  /** JSON of the meter; see `history/meter/slot-meter.ts`. */
  meter: string | null
  /** JSON of the reading of the inverter's log; see `history/filling/filling.ts`. */
  filling: string | null
  /** Content of the full battery. */
  capacity_wh: number | null
}

/** Energies in watt-hours; null where nothing measures them. */
export interface EnergyColumns {
  pv_wh: number | null
  load_wh: number | null
  import_wh: number | null
  export_wh: number | null
  charge_wh: number | null
  discharge_wh: number | null
  /** State of charge in thousandths: at the end of a slot, or the last one known of an hour or a day. */
  soc: number | null
}

/** Five minutes. */
export interface EnergySlotRow extends EnergyColumns {
  meter: number
  /** Five minutes since the epoch. */
  slot: number
  /** Mean powers in watts; import and discharge are positive. */
  pv_w: number | null
  load_w: number | null
  grid_w: number | null
  battery_w: number | null
  /** Given to the house and the grid, watt-hours; null where it was not measured. */
  ac_wh: number | null
  /** 0 measured by this service, 1 from the inverter's log, 2 from its counters alone. */
  source: number
}

/** Number of slots that a sum is made of, by their source. */
export interface EnergyCoverage {
  from_gateway: number
  from_logger: number
  from_counter: number
}

/** An hour. */
export interface EnergyHourRow extends EnergyColumns, EnergyCoverage {
  meter: number
  /** Hours since the epoch. */
  hour: number
}

/** A day of the calendar, in the time zone that was set when it was added up. */
export interface EnergyDayRow extends EnergyColumns, EnergyCoverage {
  meter: number
  /** `2026-11-27` */
  day: string
}

/** A snapshot of the parameters of one device. */
export interface ParameterSnapshotRow {
  id?: number
  device_id: string
  origin: 'manual' | 'firmware' | 'daily' | 'current'
  state: 'reading' | 'complete' | 'interrupted'
  /** Reason why it is interrupted. */
  detail: string | null
  name: string | null
  note: string | null
  taken_by: string | null
  begun_at: number
  finished_at: number | null
  firmware: string | null
  serial: string | null
  read_count: number
  failed_count: number
  total_count: number
  /** Compressed values; see `snapshots/payload.ts`. */
  payload: string
}

/** Time at which people were told last that a parameter changed without a write by this service. */
export interface ParameterNoticeRow {
  device_id: string
  metric: string
  told_at: number
}

/** A value that a check of a capability wrote and has to put back. */
export interface CheckRestoreRow {
  device_id: string
  /** Serial number of the inverter that was checked. */
  serial: string | null
  metric: string
  old_value: number
  test_value: number
  begun_at: number
}

/** A plan as it was made. The oldest rows of a device are removed. */
export interface PlanRow {
  id?: number
  device_id: string
  made_at: number
  /** JSON of the plan; see `plans/schema.ts`. */
  document: string
}

/** A price of the market for a kilowatt-hour. */
export interface PlanPriceRow {
  from_at: number
  until_at: number
  price: number
}

/** Power that the sun was expected to give. */
export interface PlanForecastRow {
  from_at: number
  until_at: number
  watts: number
}

/** What a person wants of a stretch of time, whatever it costs. */
export interface PlanChoiceRow {
  device_id: string
  from_at: number
  until_at: number
  action: 'automatic' | 'hold' | 'charge' | 'discharge'
}

/** What a day cost, and what it would have cost without a plan. */
export interface PlanDayRow {
  device_id: string
  /** `2026-11-27` */
  day: string
  cost: number
  cost_without: number
  currency: string
  /** JSON of what was planned and what happened; see `plans/schema.ts`. Null for days of older versions. */
  course: string | null
}
