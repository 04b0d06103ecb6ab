import type { Log, Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import type { Faults } from './faults.ts'
import type { SimulatedSlave } from './payloads.ts'
import type { SharedHouse } from './shared-house.ts'
import type { Replay } from './simulate-command.ts'

/** Options of a simulated inverter. */
export interface SimulatorOptions {
  readonly host?: string
  /** 0 picks a free one. */
  readonly port: number
  /** Seed of the weather; equal seeds make equal weather. */
  readonly seed?: number
  /** Share of the sun that clouds may take, 0 to 1. */
  readonly clouds?: number | undefined
  readonly timers: Timers
  readonly catalog: Catalog
  /** Registers and battery are kept there. */
  readonly stateFile?: string | undefined
  readonly faults?: Partial<Faults>
  /** Further inverters of the plant, each with registers of its own, reached by its network id. */
  readonly slaves?: readonly SimulatedSlave[]
  /** The house that its inverters share, with those of other simulators too; each has its own when it is missing. */
  readonly house?: SharedHouse | undefined
  /** Recorded answers that go before the registers. */
  readonly replay?: Replay | undefined
  /** Time zone of the clock; `UTC` when it is missing. */
  readonly timeZone?: string
  readonly log?: Log
}
