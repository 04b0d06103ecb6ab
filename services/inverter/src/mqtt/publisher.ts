import { createKeyedQueue, QueueFull } from '@hearth/runtime'
import type { CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { readBatch } from '../metrics/read-batch.ts'
import type { ApiValue } from '../metrics/value.ts'
import { BrokerError } from './broker/broker-error.ts'
import type { BrokerSession } from './broker/broker-session.ts'
import type { Components } from './entities/component.ts'
import type { CounterValues } from './counter-values.ts'
import type { MqttDependencies } from './dependencies.ts'
import { commandTopics, deviceEntities, energyStates, retainedTopics } from './device-messages.ts'
import { discoveryMessage, platformsOf, type DiscoveredDevice } from './entities/discovery.ts'
import type { EnergyCommands } from './energy-commands.ts'
import { plantId } from '../plant/schema.ts'
import type { EnergyTotals } from './plant/energy-totals.ts'
import { plantEntities, plantStates } from './plant/plant-entities.ts'
import { addEnergies } from './plant/read-energies.ts'
import type { Published } from './published.ts'
import { isCounter, stateOf } from './entities/quantity.ts'
import type { MqttSettings } from './schema.ts'
import type { Topics } from './entities/topics.ts'

/** Parts of the service that the publisher reads. */
type PublishedParts = Pick<
  MqttDependencies,
  | 'catalog'
  | 'timers'
  | 'log'
  | 'origin'
  | 'devices'
  | 'findDevice'
  | 'conditionOf'
  | 'isApproved'
  | 'isWriteAccessOn'
  | 'energy'
  | 'plant'
  | 'changed'
>

/** What the publisher reads, and where it sends it. */
export interface PublisherDependencies extends PublishedParts {
  readonly settings: MqttSettings
  readonly topics: Topics
  readonly session: BrokerSession
  readonly published: Published
  readonly counters: CounterValues
  readonly totals: EnergyTotals
  readonly energyCommands: EnergyCommands
}

/** Changes within this time are published together, milliseconds. */
const collectMs = 250

/** Time for the rounds that are under way when the publisher is closed, milliseconds. */
const closeMs = 2000

/** Publishes the devices in rounds: discovery, availability and states, and of these what changed since the last round. */
export class Publisher {
  readonly #dependencies: PublisherDependencies
  /** Payloads at the broker by their topics; nothing is known at the begin of a connection. */
  readonly #known = new Map<string, string>()
  /** Command topics that each device offers. */
  readonly #offered = new Map<string, ReadonlySet<unknown>>()
  readonly #queue = createKeyedQueue(1)
  #cancel: () => void = () => undefined
  #isWoken = false
  #isClosed = false

  constructor(dependencies: PublisherDependencies) {
    this.#dependencies = dependencies
  }

  /** Publishes everything anew: the broker or Home Assistant has been started. */
  publishAll(): void {
    this.#known.clear()
    this.wake()
  }

  /** Begins a round soon. */
  wake(): void {
    if (this.#isWoken || this.#isClosed) return
    this.#isWoken = true
    this.#plan(collectMs)
  }

  isOffered(deviceId: string, name: string): boolean {
    return this.#offered.get(deviceId)?.has(this.#dependencies.topics.command(deviceId, name)) === true
  }

  /** Removes what is at the broker and not wanted: of devices that are gone, and of topics that have been changed. */
  async removeUnwanted(isWanted: (discoveryTopic: string) => boolean): Promise<void> {
    const { published, session, topics } = this.#dependencies
    for (const { discoveryTopic, deviceId, topics: retained } of published.all()) {
      if (isWanted(discoveryTopic)) continue
      for (const topic of [discoveryTopic, ...retained]) {
        if (topic !== topics.service) await session.deliver(emptied(topic))
        this.#known.delete(topic)
      }
      await published.forget(discoveryTopic)
      this.#offered.delete(deviceId)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    const { timers, counters, totals } = this.#dependencies
    // A round that waits for a silent inverter publishes nothing any more.
    await Promise.race([this.#queue.idle(), timers.delay(closeMs)])
    await counters.store()
    await totals.store()
  }

  #plan(ms: number): void {
    this.#cancel()
    this.#cancel = this.#dependencies.timers.after(ms, () => {
      this.#isWoken = false
      this.#round()
      if (!this.#isClosed && !this.#isWoken) this.#plan(this.#dependencies.settings.interval_seconds * 1000)
    })
  }

  #round(): void {
    const { devices, session, topics, counters, plant } = this.#dependencies
    if (!session.isConnected) return
    const wanted = new Set(devices().map(({ deviceId }) => topics.discovery(deviceId)))
    const hasPlant = plant.inverters().length > 0
    if (hasPlant) wanted.add(topics.discovery(plantId))
    this.#work('', () => this.removeUnwanted((topic) => wanted.has(topic)))
    this.#work('counters', () => counters.keep())
    for (const runtime of devices()) this.#work(runtime.deviceId, () => this.#publishDevice(runtime))
    if (hasPlant) this.#work(plantId, () => this.#publishPlant())
  }

  /** Runs work that has its own pace; a device that is slow holds up no other, and has one round waiting at most. */
  #work(key: string, run: () => Promise<void>): void {
    void this.#queue.run(key, run).catch((error: unknown) => {
      if (error instanceof QueueFull || error instanceof BrokerError) return
      this.#dependencies.log.error({ err: error, device: key }, 'MQTT: a device could not be published')
    })
  }

  async #publishDevice(runtime: DeviceRuntime): Promise<void> {
    const { topics, conditionOf, findDevice, session } = this.#dependencies
    const { deviceId } = runtime
    const device = findDevice(deviceId)
    if (device === undefined) return
    const { components, objects, energy } = await deviceEntities(device, this.#dependencies)
    await this.#publishDiscovery(device, components)
    const state = conditionOf(deviceId)?.state
    this.#put(topics.device(deviceId), state === 'ok' || state === 'degraded' ? 'online' : 'offline')
    if (energy !== undefined)
      for (const [name, value] of Object.entries(energyStates(energy, this.#dependencies.energyCommands)))
        this.#put(topics.state(deviceId, name), value)
    if (objects.length === 0 || !session.isConnected) return
    for (const { name, value } of await readValues(runtime, objects)) this.#putValue(deviceId, name, value)
    this.#dependencies.changed()
  }

  async #publishPlant(): Promise<void> {
    const { catalog, devices, counters, totals, plant, topics, session } = this.#dependencies
    const now = await plant.now()
    const about = { id: plantId, displayName: now.display_name, serial: null, firmware: null }
    await this.#publishDiscovery({ ...about, model: 'Solar plant', path: '/' }, plantEntities(topics))
    this.#put(topics.device(plantId), 'online')
    if (!session.isConnected) return
    await addEnergies(plant.inverters(), { catalog, devices: devices(), counters, totals })
    await totals.store()
    for (const [name, value] of plantStates(now, totals.get)) this.#put(topics.state(plantId, name), value)
  }

  #putValue(deviceId: string, name: string, value: ApiValue): void {
    const { catalog, counters, topics } = this.#dependencies
    const object = catalog.byName(name)
    if (object === undefined) return
    const isCounted = typeof value === 'number' && isCounter(object)
    const shown = isCounted ? counters.next(deviceId, object, value) : value
    this.#put(topics.state(deviceId, name), stateOf(object, shown))
  }

  #put(topic: string, payload: string): void {
    if (this.#isClosed || this.#known.get(topic) === payload) return
    this.#known.set(topic, payload)
    this.#dependencies.session.send({ topic, payload, isRetained: true, qos: 0 })
  }

  /** Publishes the discovery message if it changed, and removes what belonged to entities that are gone. */
  async #publishDiscovery(device: DiscoveredDevice, components: Components): Promise<void> {
    const { id: deviceId } = device
    const { topics, origin, session, published } = this.#dependencies
    const discoveryTopic = topics.discovery(deviceId)
    const message = (removed: Readonly<Record<string, string>>) =>
      discoveryMessage({ device, components, removed }, topics, origin)
    const complete = message({})
    if (this.#isClosed || this.#known.get(discoveryTopic) === complete) return
    const before = published.get(discoveryTopic)
    const retained = retainedTopics(deviceId, components, topics)
    const platforms = platformsOf(components)
    const row = { deviceId, discoveryTopic, topics: retained, components: platforms }
    const all = [...new Set([...(before?.topics ?? []), ...retained])]
    await published.note({ ...row, topics: all, components: Object.assign({}, before?.components, platforms) })
    const shrunk = message(before?.components ?? {})
    if (shrunk !== complete) await session.deliver({ topic: discoveryTopic, payload: shrunk, isRetained: true, qos: 1 })
    await session.deliver({ topic: discoveryTopic, payload: complete, isRetained: true, qos: 1 })
    for (const topic of all) {
      if (retained.includes(topic)) continue
      await session.deliver(emptied(topic))
      this.#known.delete(topic)
    }
    await published.note(row)
    this.#known.set(discoveryTopic, complete)
    this.#offered.set(deviceId, commandTopics(components))
  }
}

/** Returns the values of the objects that the device or the cache has. */
async function readValues(runtime: DeviceRuntime, objects: readonly CatalogObject[]) {
  try {
    return (await readBatch(runtime, objects, false)).metrics
  } catch {
    // The device gives no values now; its availability says so.
    return []
  }
}

/** An empty retained message, which deletes the one at the broker. */
const emptied = (topic: string) => ({ topic, payload: '', isRetained: true, qos: 1 }) as const
