import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Reports } from '@hearth/notifications'
import type { OutboundAllow } from '@hearth/outbound'
import type { Log, Timers } from '@hearth/runtime'
import type { DispatchService } from '../dispatch/dispatch.ts'
import type { PlantInverter } from '../plant/schema.ts'
import type { EnergySlotRow, Tables } from '../tables.ts'
import type { DeviceFacts } from './site-of.ts'

/** An inverter as plans need it. */
export interface PlannedDevice {
  readonly id: string
  readonly displayName: string
  readonly maxChargePowerW: number | null
  readonly maxDischargePowerW: number | null
}

/** What a plan is for: one inverter, or all batteries of the plant. */
export interface PlanSubject {
  /** That of the inverter, or `@plant`. */
  readonly id: string
  readonly devices: readonly PlannedDevice[]
}

/** What the battery of an inverter says of itself; null for what it does not say. */
export type BatteryReading = { readonly [Name in keyof Pick<DeviceFacts, 'soc' | 'minSoc'>]: number | null } & {
  /** The state of charge is of before the inverter stopped to answer. */
  readonly isStale: boolean
}

/** Parts of the service that plans use. */
export interface PlanDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly timers: Timers
  readonly log: Log
  /** Files with prices and forecasts are in its folder `plans`. */
  readonly dataDirectory: string
  /** Addresses that the guard of outgoing connections lets through. */
  readonly allow: OutboundAllow
  readonly devices: () => readonly PlannedDevice[]
  /** Inverters of the plant; none while there is no plant. */
  readonly plant: () => readonly PlantInverter[]
  /** True while an inverter answers. */
  readonly isThere: (deviceId: string) => boolean
  readonly readBattery: (deviceId: string) => Promise<BatteryReading>
  /** The energy history: the content of a battery, and the slots of a stretch of time. */
  readonly history: {
    capacityOf(deviceId: string): Promise<number | null>
    slotsOf(deviceId: string, from: number, until: number): Promise<EnergySlotRow[]>
    timeZone(): string
  }
  readonly dispatch: Pick<DispatchService, 'submit' | 'end' | 'activeOperation' | 'onEnded'>
  readonly reports: Reports
  /** Called when plans or settings have changed, for the pages that show them. */
  readonly changed: () => void
}
