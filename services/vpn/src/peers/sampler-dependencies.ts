import type { Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import type { ConnectionRecorder } from '../connections/recorder.ts'
import type { Tables } from '../tables.ts'
import type { TrafficRecorder } from '../traffic/recorder.ts'
import type { NodeRates } from './counted-traffic.ts'
import type { Devices } from './device-reader.ts'

export interface SamplerDependencies {
  readonly database: Database<Tables>
  readonly devices: Devices
  readonly clock: Clock
  readonly log: Log
  /** Takes what is counted, for the history; without one it is left for the next process that has one. */
  readonly traffic?: TrafficRecorder
  /** Follows when peers are connected. */
  readonly connections?: ConnectionRecorder
  /** Rates of the traffic on nodes. */
  readonly nodeRates?: NodeRates
}
