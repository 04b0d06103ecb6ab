import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Reports } from '@hearth/notifications'
import type { Log, Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import type { Device } from '../devices/device.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { EnergyManager } from '../energy/energy.ts'
import type { MetricWrites } from '../metrics/write-metric.ts'
import type { DeviceReadiness } from '../readiness/schema.ts'
import type { PlantInverter, PlantNow } from '../plant/schema.ts'
import type { Tables } from '../tables.ts'
import type { Origin } from './entities/discovery.ts'

/** Parts of the service that MQTT publishes and commands. */
export interface MqttDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  readonly origin: Origin
  readonly devices: () => readonly DeviceRuntime[]
  /** Returns a device as it is configured; undefined when it is gone. */
  readonly findDevice: (id: string) => Device | undefined
  readonly conditionOf: (id: string) => Pick<DeviceReadiness, 'state'> | undefined
  /** Inverters of the plant, none while there is no plant, and what they do together. */
  readonly plant: { inverters(): readonly PlantInverter[]; now(): Promise<PlantNow> }
  readonly isApproved: (name: string) => boolean
  readonly isWriteAccessOn: () => boolean
  readonly writes: MetricWrites
  readonly energy: EnergyManager
  readonly reports: Reports
  /** Called when state or figures of the connection have changed, for the pages that show them. */
  readonly changed: () => void
}
