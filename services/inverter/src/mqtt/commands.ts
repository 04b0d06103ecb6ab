import { createBudget } from '@hearth/http'
import { createKeyedQueue, type Log, type Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import type { MetricWrites } from '../metrics/write-metric.ts'
import { Problem } from '../problems.ts'
import type { IncomingMessage, OutgoingMessage } from './broker/broker-connection.ts'
import { valueOfCommand } from './entities/controls.ts'
import { mqttCaller, type EnergyCommands } from './energy-commands.ts'
import type { Topics } from './entities/topics.ts'

interface CommandDependencies {
  readonly catalog: Catalog
  readonly topics: Topics
  readonly timers: Timers
  readonly log: Log
  readonly isDevice: (id: string) => boolean
  readonly isWriteAccessOn: () => boolean
  /** True for a name that the discovery message of the device offers as a control. */
  readonly isOffered: (deviceId: string, name: string) => boolean
  readonly writes: MetricWrites
  readonly energy: EnergyCommands
  readonly send: (message: OutgoingMessage) => void
  /** Called when a command was carried out: what it set is published without waiting. */
  readonly onDone: (deviceId: string, name: string) => void
}

/** Outcome of a command, as its result topic has it. */
interface Outcome {
  readonly value: string | number | boolean | null
  /** `confirmed`, `sent` for an action, or the error code of the API. */
  readonly outcome: string
  readonly detail: string
  readonly at: string
}

/** Commands that are taken in a minute, and commands that are carried out at a time. */
const perMinute = 60
const maxRunning = 16

/** Interval at which commands of a flood are answered, milliseconds. */
const answerEvery = 1000

/** Maximum size of a command, bytes. */
const maxPayload = 256

/** Takes commands from the broker through the same gate as the API. Everyone who may publish there is a caller. */
export class Commands {
  carriedOut = 0
  refused = 0
  readonly #dependencies: CommandDependencies
  readonly #budget
  readonly #running = new Set<Promise<void>>()
  /** Commands to the battery of a device, in the order they came: each goes by what the one before has set. */
  readonly #battery = createKeyedQueue(maxRunning)
  /** When a command of a flood was answered last, monotonic milliseconds. */
  #limitedAt = -Infinity

  constructor(dependencies: CommandDependencies) {
    this.#dependencies = dependencies
    this.#budget = createBudget({ limit: perMinute, windowSeconds: 60, clock: dependencies.timers })
  }

  /** Takes a message of a command topic; never throws. Others are ignored. */
  take(message: IncomingMessage): void {
    const { topics, isDevice } = this.#dependencies
    const found = topics.parseCommand(message.topic)
    if (found === undefined || !isDevice(found.deviceId) || !this.#isKnown(found.name)) return
    // A retained command would be carried out again at every connection.
    if (message.isRetained)
      return this.#refuse(found, new Problem('invalid_request', 'A retained command is ignored; publish it unretained'))
    const { allowed, retryAfterSeconds } = this.#budget.take('mqtt')
    if (!allowed || this.#running.size >= maxRunning) return this.#refuseMany(found, retryAfterSeconds)
    const work = this.#run(found, message.payload).finally(() => this.#running.delete(work))
    this.#running.add(work)
  }

  /** Resolves when no command is running. */
  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Refuses a command of a flood. Not every one is answered: the broker would get as many messages as it brings. */
  #refuseMany(command: { deviceId: string; name: string }, seconds: number): void {
    const now = this.#dependencies.timers.monotonic()
    const isFirst = now - this.#limitedAt >= answerEvery
    if (!isFirst) {
      this.refused += 1
      return
    }
    this.#limitedAt = now
    this.#refuse(command, new Problem('rate_limited', `Too many commands; try again in ${seconds} s`))
  }

  #isKnown(name: string): boolean {
    return this.#dependencies.energy.isEnergy(name) || this.#dependencies.catalog.byName(name) !== undefined
  }

  async #run(command: { deviceId: string; name: string }, bytes: Buffer): Promise<void> {
    const { deviceId, name } = command
    try {
      const payload = textOf(bytes)
      const isAction = this.#dependencies.catalog.byName(name)?.isAction === true
      const value = await this.#carryOut(command, payload)
      this.carriedOut += 1
      const detail = isAction ? 'Sent; the inverter does not report whether an action ran' : 'Written and read back'
      this.#answer(command, { value, outcome: isAction ? 'sent' : 'confirmed', detail })
      this.#dependencies.onDone(deviceId, name)
    } catch (error) {
      this.#refuse(command, error)
      this.#dependencies.onDone(deviceId, name)
    }
  }

  async #carryOut({ deviceId, name }: { deviceId: string; name: string }, payload: string) {
    const { catalog, writes, energy, isWriteAccessOn } = this.#dependencies
    if (!isWriteAccessOn()) throw new Problem('write_disabled', 'Write access is off; an administrator switches it on')
    if (energy.isEnergy(name)) return this.#battery.run(deviceId, () => energy.run(deviceId, name, payload))
    const object = catalog.byName(name)
    if (object === undefined) throw new Problem('unknown_metric', `There is no metric ${name}`)
    const value = valueOfCommand(object, payload)
    const request = { name, value, caller: mqttCaller, cause: 'api' } as const
    if (object.isAction) await writes.triggerAction(deviceId, request)
    else await writes.write(deviceId, request)
    return value
  }

  #refuse(command: { deviceId: string; name: string }, error: unknown): void {
    this.refused += 1
    if (error instanceof Problem)
      return this.#answer(command, { value: null, outcome: error.code, detail: error.message })
    this.#dependencies.log.error({ err: error, device: command.deviceId, metric: command.name }, 'a command failed')
    this.#answer(command, { value: null, outcome: 'internal_error', detail: 'See the log of the service' })
  }

  #answer({ deviceId, name }: { deviceId: string; name: string }, outcome: Omit<Outcome, 'at'>): void {
    const { topics, timers, isOffered, send } = this.#dependencies
    const result: Outcome = Object.assign({}, outcome, { at: new Date(timers.now()).toISOString() })
    send({
      topic: topics.result(deviceId, name),
      payload: JSON.stringify(result),
      // Only what is offered has a result that stays, which goes when the control goes.
      isRetained: isOffered(deviceId, name),
      qos: 1,
    })
  }
}

function textOf(bytes: Buffer): string {
  if (bytes.length > maxPayload) throw new Problem('invalid_request', `A command has at most ${maxPayload} bytes`)
  try {
    // A byte order mark is part of the text: a value with one is none.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Problem('invalid_request', 'A command must be UTF-8 text')
  }
}
