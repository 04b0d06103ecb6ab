import type { Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import type { MetricWrites } from '../metrics/write-metric.ts'
import { SwitchedPart } from '../switched-part.ts'
import type { Tables } from '../tables.ts'
import type { AnswersDependencies } from './answers.ts'
import type { Listener } from './listener.ts'
import type { SharedPortSettings, SharedPortView } from './schema.ts'
import { openSettingsStore, type SettingsStore } from './settings.ts'

export interface SharedPortDependencies {
  readonly database: Database<Tables>
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  readonly isDevice: (id: string) => boolean
  readonly find: AnswersDependencies['find']
  readonly writes: MetricWrites
}

/** Lets other programs talk to the inverters through this service, in the inverter's own protocol. */
export type SharedPort = Awaited<ReturnType<typeof openSharedPort>>

/** Reads the settings. No port is open before `start`. */
export async function openSharedPort(dependencies: SharedPortDependencies) {
  return new SharedPorts(dependencies, await openSettingsStore(dependencies))
}

/** The shared ports, open or not. What serves them is loaded when they are switched on. */
class SharedPorts {
  readonly #dependencies: SharedPortDependencies
  readonly #settings: SettingsStore
  readonly #part = new SwitchedPart<readonly Listener[]>({ begin: () => this.#open(), end: closeAll })

  constructor(dependencies: SharedPortDependencies, settings: SettingsStore) {
    this.#dependencies = dependencies
    this.#settings = settings
  }

  start(): Promise<void> {
    return this.#part.start()
  }

  view(): SharedPortView {
    const listeners = this.#part.running ?? []
    return {
      settings: this.#settings.current(),
      ports: listeners.map((listener) => listener.state()),
      connections: listeners.flatMap((listener) => listener.connections()),
    }
  }

  /** Address that a port listens at; undefined when it does not listen. */
  boundTo(port: number): string | undefined {
    const listens = this.#part.running?.some((listener) => {
      const found = listener.state()
      return found.port === port && found.state === 'listening'
    })
    return listens === true ? this.#settings.current().bind_address : undefined
  }

  /** Stores settings and opens the ports anew; programs connect again. Throws a problem that names the member that is wrong. */
  change(settings: SharedPortSettings): Promise<void> {
    return this.#part.change(() => this.#settings.change(settings))
  }

  /** Closes the port of a device that is no more. */
  forget(deviceId: string): Promise<void> {
    return this.#part.change(async () =>
      this.#dependencies.isDevice(deviceId) ? false : this.#settings.forget(deviceId),
    )
  }

  close(): Promise<void> {
    return this.#part.close()
  }

  async #open(): Promise<readonly Listener[] | undefined> {
    const { enabled, inverters, clients, bind_address: bindAddress, cache_seconds: seconds } = this.#settings.current()
    if (!enabled) return undefined
    const [{ Listener }, { Answers }] = await Promise.all([import('./listener.ts'), import('./answers.ts')])
    const { catalog, timers, log, find, writes } = this.#dependencies
    const opened = inverters.map(({ device_id: deviceId, port }) => {
      const answers = new Answers(deviceId, { catalog, writes, find, maxAge: seconds * 1000 })
      return new Listener({ deviceId, port, bindAddress, clients, answers, timers, log })
    })
    await Promise.all(opened.map((listener) => listener.open()))
    return opened
  }
}

async function closeAll(listeners: readonly Listener[]): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.close()))
}
