import type { SessionRow, TokenRow } from '@hearth/accounts'

/** Rows as they are stored. Moments are milliseconds since the epoch, switches 0 or 1, documents JSON text. */
export interface Tables {
  facts: FactRow
  settings: SettingRow
  administrators: AdministratorRow
  sessions: SessionRow<'username'>
  tokens: TokenRow<'token_hash', TokenColumns>
  devices: DeviceRow
  approvals: ApprovalRow
  capabilities: CapabilityRow
  energy_modes: EnergyModeRow
  energy_stops: EnergyStopRow
  dispatch_records: DispatchRow
  journal: JournalRow
}

/** Names of the tables, those that others refer to first. */
export const tableNames = [
  'facts',
  'settings',
  'administrators',
  'sessions',
  'tokens',
  'devices',
  'approvals',
  'capabilities',
  'energy_modes',
  'energy_stops',
  'dispatch_records',
  'journal',
] as const satisfies readonly (keyof Tables)[]

/**
 * What a backup holds: everything but what is going on with the inverters at the moment, which would be put back on an
 * inverter that has moved on.
 */
export const backupTableNames = tableNames.filter((name) => name !== 'dispatch_records')

/** Things the service knows about itself. */
export interface FactRow {
  name: string
  value: string
}

export interface SettingRow {
  name: string
  /** JSON. */
  value: string
}

export interface AdministratorRow {
  username: string
  /** PHC string. */
  password_hash: string
  password_change_required: number
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
  /** Whether the device is asked to send values on its own. */
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

/** A metric or action that may be written. */
export interface ApprovalRow {
  name: string
  approved_at: number
}

export interface CapabilityRow {
  device_id: string
  name: string
  /** JSON of the whole record. */
  record: string
}

export interface EnergyModeRow {
  device_id: string
  mode: 'off' | 'manual' | 'external'
  changed_at: number
  changed_by: string
}

/** The end of one action of the Energy Manager; the oldest of a device fall away. */
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
  /** Counts up with every change, so that two writers cannot both believe theirs was the last. */
  version: number
  state: string
  restore_required: number
  /** JSON of the whole record. */
  record: string
}

/** One write that was sent to a device; rows are only ever added, the oldest fall away. */
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
  /** What the write was for: `api`, `admin`, `dispatch`, `restore`, `energy`. */
  cause: string
  /** Name of the token, or the user. */
  caller: string | null
  operation_id: string | null
}
