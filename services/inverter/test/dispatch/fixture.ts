import { migrate, openDatabase, type Database } from '@hearth/database'
import { createFastTimers, createLog } from '@hearth/runtime'
import { unverifiedCapability } from '../../src/capabilities/rules.ts'
import type { Capability, CapabilityName } from '../../src/capabilities/schema.ts'
import { migrations } from '../../src/database/migrations/index.ts'
import type { Tables } from '../../src/tables.ts'
import {
  openDispatch,
  type DispatchEvent,
  type DispatchService,
  type EndedOperation,
} from '../../src/dispatch/dispatch.ts'
import { dispatchRegisters } from '../../src/dispatch/registers.ts'
import type { DispatchRequest } from '../../src/dispatch/schema.ts'
import type { DispatchStore } from '../../src/dispatch/store.ts'
import { Plant } from './plant.ts'

/** Speed of time in the tests; 1 is real time. */
export const factor = 100

export const submitter = { caller: 'test', origin: 'dispatch' } as const

/** Verified records of everything but what is named. */
export function capabilitiesWithout(...missing: CapabilityName[]): Capability[] {
  const names = ['battery_power_sign_convention', 'grid_power_sign_convention', 'write_path_convention'] as const
  return names.map((name) =>
    Object.assign(unverifiedCapability(name), {
      soc_strategy_external_code: name === 'write_path_convention' ? 2 : null,
      status: missing.includes(name) ? ('unverified' as const) : ('verified' as const),
    }),
  )
}

/**
 * A dispatch service on a simulated plant whose conditions a test can change. `start` opens another one on the same database.
 */
export class DispatchFixture {
  readonly timers = createFastTimers(factor, Date.parse('2026-11-21T12:00:00Z'))
  readonly plant = new Plant('a', this.timers)
  readonly neighbour = new Plant('b', this.timers)
  readonly device = {
    id: 'a',
    maxChargePowerW: 4000 as number | null,
    maxDischargePowerW: 3000 as number | null,
    engineeringMode: false,
  }
  readonly approved = new Set<string>(dispatchRegisters)
  readonly events: DispatchEvent[] = []
  readonly ended: EndedOperation[] = []
  readonly #services: DispatchService[] = []
  capabilities = capabilitiesWithout()
  isWriteAccessOn = true
  /** Limit of the grid connection, watts. */
  limitW: number | null = null
  /** The neighbour is behind the meter of the plant. */
  isOneHouse = false
  /** The inverter that sees the grid connection of the one house. */
  meterId = 'a'
  /** Capabilities of an inverter that differ from those of all. */
  readonly ownCapabilities = new Map<string, Capability[]>()
  #database: Database<Tables> | undefined

  async start(wrapStore?: (store: DispatchStore) => DispatchStore, plant?: Plant): Promise<DispatchService> {
    const db = (await this.database()).query
    const service = await openDispatch({
      db,
      timers: this.timers,
      log: createLog({ name: 'test', level: 'silent' }),
      devices: {
        find: (id) => (id === 'a' ? this.device : id === 'b' ? { ...this.device, id } : undefined),
        ids: () => ['a', 'b'],
      },
      gateways: (id) => (id === 'a' ? (plant ?? this.plant) : id === 'b' ? this.neighbour : undefined),
      capabilities: (id) => Promise.resolve(this.ownCapabilities.get(id) ?? this.capabilities),
      connection: { limitW: () => this.limitW, meterOf: (id) => (this.isOneHouse ? this.meterId : id) },
      isApproved: (name) => this.approved.has(name),
      isWriteAccessOn: () => this.isWriteAccessOn,
      publish: (event) => void this.events.push(event),
      ...(wrapStore === undefined ? {} : { wrapStore }),
    })
    service.onEnded((ended) => {
      this.ended.push(ended)
      return Promise.resolve()
    })
    this.#services.push(service)
    return service
  }

  async database(): Promise<Database<Tables>> {
    if (this.#database === undefined) {
      this.#database = openDatabase<Tables>({ file: ':memory:' })
      await migrate(this.#database.query, migrations)
    }
    return this.#database
  }

  request(mode: DispatchRequest['mode'], more: Partial<DispatchRequest> = {}): DispatchRequest {
    const budget =
      mode === 'hold' ? {} : { target_soc_percent: mode === 'charge_from_grid' ? 80 : 20, max_power_w: 3000 }
    return { mode, valid_until: this.inSeconds(3600), ...budget, ...more }
  }

  inSeconds(seconds: number): string {
    return new Date(this.timers.now() + seconds * 1000).toISOString()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#services.map((service) => service.close()))
    await this.#database?.close()
  }
}
