import type { Database } from '@hearth/database'
import type { Reports } from '@hearth/notifications'
import type { Log, Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import type { Device } from '../devices/device.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { Tables } from '../tables.ts'

/** Parts of the service that the snapshots use. */
export interface SnapshotDependencies {
  readonly database: Database<Tables>
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  readonly reports: Pick<Reports, 'notify'>
  /** Configured inverters, connected or not. */
  readonly devices: () => readonly Device[]
  readonly runtime: (deviceId: string) => DeviceRuntime | undefined
  /** Called when a snapshot or the reading of one changed, for the pages that show them. */
  readonly changed: () => void
}
