import type { Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import type { Capability } from '../capabilities/schema.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { PlantInverter } from '../plant/schema.ts'
import type { Tables } from '../tables.ts'

/** Parts of the service that the energy history reads. */
export interface HistoryDependencies {
  readonly database: Database<Tables>
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  /** Inverters with a connection. */
  readonly devices: () => readonly DeviceRuntime[]
  /** Ids of the configured inverters, connected or not. */
  readonly deviceIds: () => readonly string[]
  readonly capabilities: (deviceId: string) => Promise<readonly Capability[]>
  /** Inverters of the plant; none while there is no plant. */
  readonly plant: () => readonly PlantInverter[]
  /** Called when slots were added or the settings changed, for the pages that show them. */
  readonly changed: () => void
}
