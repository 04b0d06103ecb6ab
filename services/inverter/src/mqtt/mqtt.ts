import { createKeyedQueue } from '@hearth/runtime'
import type { MqttDependencies } from './dependencies.ts'
import { forgetChoice } from './energy-commands.ts'
import { openMqttSettings, type MqttSettingsStore } from './mqtt-settings.ts'
import type { Runner } from './runner.ts'
import type { MqttChange, MqttStatus, MqttTest, MqttView } from './schema.ts'
import { deleteCounters } from './store.ts'

/** Time without a broker after which people are told, milliseconds, and the interval of that check. */
const awayMs = 600_000
const checkEvery = 30_000

const off: MqttStatus = {
  state: 'off',
  since: null,
  last_error: null,
  next_attempt_at: null,
  published: 0,
  waiting: 0,
  commands_carried_out: 0,
  commands_refused: 0,
}

/** Publishes the inverters to an MQTT broker and takes commands from it. */
export type Mqtt = Awaited<ReturnType<typeof openMqtt>>

/** Reads the settings. Nothing is connected before `start`. */
export async function openMqtt(dependencies: MqttDependencies) {
  const { database, sealer, catalog } = dependencies
  return new MqttService(dependencies, await openMqttSettings(database, sealer, catalog))
}

/** MQTT, on or off. Its parts and the client are loaded when it is switched on. */
class MqttService {
  readonly #dependencies: MqttDependencies
  readonly #settings: MqttSettingsStore
  readonly #queue = createKeyedQueue(8)
  #runner: Runner | undefined
  #cancelCheck: () => void = () => undefined
  #isStarted = false

  constructor(dependencies: MqttDependencies, settings: MqttSettingsStore) {
    this.#dependencies = dependencies
    this.#settings = settings
  }

  start(): Promise<void> {
    this.#isStarted = true
    return this.#queue.run('mqtt', () => this.#begin())
  }

  view(): MqttView {
    return { settings: this.#settings.current(), status: this.status() }
  }

  status(): MqttStatus {
    return this.#runner?.status() ?? off
  }

  /** Stores the settings and applies them at once. */
  change(change: MqttChange): Promise<void> {
    return this.#queue.run('mqtt', async () => {
      await this.#settings.change(change)
      if (!this.#isStarted) return
      await this.#end(true)
      await this.#begin()
    })
  }

  /** Connects with settings that are not stored and disconnects again. */
  async test(change: MqttChange): Promise<MqttTest> {
    const address = this.#settings.addressOf(change)
    const { testBroker } = await import('./test-broker.ts')
    return testBroker({ change, address, timers: this.#dependencies.timers })
  }

  /** Publishes what changed without waiting for the next round. */
  wake(): void {
    this.#runner?.wake()
  }

  /** Forgets the counters and choices of a device that was removed or replaced by another inverter. */
  async forget(deviceId: string): Promise<void> {
    const { query } = this.#dependencies.database
    await (this.#runner === undefined ? deleteCounters(query, deviceId) : this.#runner.forget(deviceId))
    await forgetChoice(query, deviceId)
  }

  async close(): Promise<void> {
    this.#isStarted = false
    await this.#queue.run('mqtt', () => this.#end(false))
  }

  async #begin(): Promise<void> {
    const settings = this.#settings.current()
    if (!settings.enabled) return
    // Loaded here: an installation without MQTT does without its memory.
    const { startRunner } = await import('./runner.ts')
    this.#runner = await startRunner(settings, this.#settings.address(), this.#dependencies)
    this.#check()
  }

  async #end(isChange: boolean): Promise<void> {
    this.#cancelCheck()
    const runner = this.#runner
    this.#runner = undefined
    await runner?.stop(isChange ? this.#settings.current() : undefined)
    if (isChange) this.#report(false, '')
  }

  /** Tells people about a broker that stays away, and when it is back. */
  #check(): void {
    const session = this.#runner?.session
    if (session === undefined) return
    if (session.awayMs >= awayMs) this.#report(true, session.lastError ?? 'The broker does not answer')
    else if (session.isConnected) this.#report(false, '')
    this.#cancelCheck = this.#dependencies.timers.after(checkEvery, () => this.#check())
  }

  #report(isAway: boolean, reason: string): void {
    const change = { class: 'mqtt.disconnected', subject: 'broker', path: '/mqtt' } as const
    if (isAway)
      this.#dependencies.reports.begin({
        ...change,
        title: 'The MQTT broker is unreachable',
        text: `${reason}. Values go on as soon as it is back.`,
      })
    else this.#dependencies.reports.end({ ...change, title: 'The MQTT broker is reachable again', text: '' })
  }
}
