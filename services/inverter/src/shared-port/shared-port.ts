import type { Database } from '@hearth/database'
import { createKeyedQueue, type Log, type Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import type { MetricWrites } from '../metrics/write-metric.ts'
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
  readonly #queue = createKeyedQueue(8)
  #listeners: readonly Listener[] = []
  #isStarted = false

  constructor(dependencies: SharedPortDependencies, settings: SettingsStore) {
    this.#dependencies = dependencies
    this.#settings = settings
  }

  start(): Promise<void> {
    this.#isStarted = true
    return this.#queue.run('ports', () => this.#open())
  }

  view(): SharedPortView {
    return {
      settings: this.#settings.current(),
      ports: this.#listeners.map((listener) => listener.state()),
      connections: this.#listeners.flatMap((listener) => listener.connections()),
    }
  }

  /** Stores settings and opens the ports anew; programs connect again. Throws a problem that names the member that is wrong. */
  change(settings: SharedPortSettings): Promise<void> {
    return this.#queue.run('ports', async () => {
      await this.#settings.change(settings)
      await this.#reopen()
    })
  }

  /** Closes the port of a device that is no more. */
  forget(deviceId: string): Promise<void> {
    return this.#queue.run('ports', async () => {
      if (this.#dependencies.isDevice(deviceId)) return
      if (await this.#settings.forget(deviceId)) await this.#reopen()
    })
  }

  async close(): Promise<void> {
    this.#isStarted = false
    await this.#queue.run('ports', () => this.#close())
  }

  async #reopen(): Promise<void> {
    if (!this.#isStarted) return
    await this.#close()
    await this.#open()
  }

  async #open(): Promise<void> {
    const { enabled, inverters, clients, bind_address: bindAddress, cache_seconds: seconds } = this.#settings.current()
    if (!enabled) return
    const [{ Listener }, { Answers }] = await Promise.all([import('./listener.ts'), import('./answers.ts')])
    const { catalog, timers, log, find, writes } = this.#dependencies
    const opened = inverters.map(({ device_id: deviceId, port }) => {
      const answers = new Answers(deviceId, { catalog, writes, find, maxAge: seconds * 1000 })
      return new Listener({ deviceId, port, bindAddress, clients, answers, timers, log })
    })
    await Promise.all(opened.map((listener) => listener.open()))
    this.#listeners = opened
  }

  async #close(): Promise<void> {
    const closing = this.#listeners
    this.#listeners = []
    await Promise.all(closing.map((listener) => listener.close()))
  }
}
