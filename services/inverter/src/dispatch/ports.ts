import type { Dispatch } from './schema.ts'

/** Cause of a write, for the journal. */
export interface WriteCause {
  readonly cause: 'dispatch' | 'restore'
  /** Name of the token, or the user; null for the service itself. */
  readonly caller: string | null
  readonly operationId: string | null
  /** Asked when the firmware on the connection is known, right before the value is sent; rejects to refuse the write. */
  readonly check?: (() => Promise<void>) | undefined
}

/** One device, past every cache. What fails throws a `Problem`. */
export interface DeviceGateway {
  readonly deviceId: string
  /** A value from the device itself, in the units of the API (`battery_soc` and `soc_target_set` are ratios). */
  readFresh(name: string): Promise<{
    readonly value: number | boolean | string
    /** Time of the answer; monotonic milliseconds. */
    readonly at: number
  }>
  /** Resolves when the firmware on the present connection is known and noted. */
  identify(): Promise<void>
  /** Writes and reads back until the value is there; resolves with what was read. */
  writeConfirmed(name: string, value: number | boolean, cause: WriteCause): Promise<number | boolean | string>
}

/** A configured device, as dispatch needs it. */
export interface DispatchDevice {
  readonly id: string
  /** Watts; null until the operator sets them. */
  readonly maxChargePowerW: number | null
  readonly maxDischargePowerW: number | null
  readonly engineeringMode: boolean
}

/** The devices as they are configured at this moment. */
export interface DispatchDevices {
  find(deviceId: string): DispatchDevice | undefined
  ids(): string[]
}

/** Something changed that a page may want to show. */
export interface DispatchEvent {
  readonly type: 'dispatch'
  readonly device_id: string
  readonly dispatch: Dispatch
}
