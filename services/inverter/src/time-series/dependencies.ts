import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Reports } from '@hearth/notifications'
import type { OutboundAllow } from '@hearth/outbound'
import type { Log, Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { Tables } from '../tables.ts'

/** Parts of the service that the time series read. */
export interface TimeSeriesDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  /** The buffer is in there. */
  readonly dataDirectory: string
  /** Addresses that the guard of outgoing connections lets through. */
  readonly allow: OutboundAllow
  readonly devices: () => readonly DeviceRuntime[]
  readonly reports: Reports
  /** Called when state or figures have changed, for the pages that show them. */
  readonly changed: () => void
}
