import { AwayReport } from '../notifications/away-report.ts'
import { SwitchedPart } from '../switched-part.ts'
import type { MqttDependencies } from './dependencies.ts'
import { forgetChoice } from './energy-commands.ts'
import { openMqttSettings, type MqttSettingsStore } from './mqtt-settings.ts'
import type { Runner } from './runner.ts'
import type { MqttChange, MqttStatus, MqttTest, MqttView } from './schema.ts'
import { deleteCounters } from './store.ts'

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
  readonly #away: AwayReport
  readonly #part = new SwitchedPart<Runner>({
    begin: () => this.#begin(),
    end: (runner, why) => this.#end(runner, why),
  })

  constructor(dependencies: MqttDependencies, settings: MqttSettingsStore) {
    this.#dependencies = dependencies
    this.#settings = settings
    this.#away = new AwayReport({
      ...dependencies,
      event: { class: 'mqtt.disconnected', subject: 'broker', path: '/mqtt' },
      texts: {
        away: 'The MQTT broker is unreachable',
        back: 'The MQTT broker is reachable again',
        meanwhile: 'Values go on as soon as it is back.',
        unknown: 'The broker does not answer',
      },
    })
  }

  start(): Promise<void> {
    return this.#part.start()
  }

  view(): MqttView {
    return { settings: this.#settings.current(), status: this.status() }
  }

  status(): MqttStatus {
    return this.#part.running?.status() ?? off
  }

  /** Stores the settings and applies them at once. */
  change(change: MqttChange): Promise<void> {
    return this.#part.change(() => this.#settings.change(change))
  }

  /** Connects with settings that are not stored and disconnects again. */
  async test(change: MqttChange): Promise<MqttTest> {
    const address = this.#settings.addressOf(change)
    const { testBroker } = await import('./test-broker.ts')
    return testBroker({ change, address, timers: this.#dependencies.timers })
  }

  /** Publishes what changed without waiting for the next round. */
  wake(): void {
    this.#part.running?.wake()
  }

  /** Forgets the counters and choices of a device that was removed or replaced by another inverter. */
  async forget(deviceId: string): Promise<void> {
    const { query } = this.#dependencies.database
    const { running } = this.#part
    await (running === undefined ? deleteCounters(query, deviceId) : running.forget(deviceId))
    await forgetChoice(query, deviceId)
  }

  close(): Promise<void> {
    return this.#part.close()
  }

  async #begin(): Promise<Runner | undefined> {
    const settings = this.#settings.current()
    if (!settings.enabled) return undefined
    // Loaded here: an installation without MQTT does without its memory.
    const { startRunner } = await import('./runner.ts')
    const runner = await startRunner(settings, this.#settings.address(), this.#dependencies)
    const { session } = runner
    this.#away.follow(() => ({
      awayMs: session.awayMs,
      isThere: session.isConnected,
      lastError: session.lastError,
    }))
    return runner
  }

  async #end(runner: Runner, why: 'change' | 'close'): Promise<void> {
    this.#away.end()
    await runner.stop(why === 'change' ? this.#settings.current() : undefined)
    if (why === 'change') this.#away.clear()
  }
}
