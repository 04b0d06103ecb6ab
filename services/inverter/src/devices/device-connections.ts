import { createKeyedQueue, QueueFull, type Log } from '@hearth/runtime'
import { Link } from '../link/link.ts'
import { createFlightRecorder, type FlightRecorder } from '../recorder/flight-recorder.ts'
import { DeviceRuntime, type RuntimeDependencies } from './device-runtime.ts'
import { Problem, unknownDevice } from '../problems.ts'
import { endpointOf, type Device } from './device.ts'
import { addressesOf } from './host-addresses.ts'
import type { ConnectionResult, ConnectionTest } from './schema.ts'

/** One connection, what is recorded of it, and its devices by their ids. */
export interface Endpoint {
  readonly id: string
  readonly host: string
  readonly port: number
  readonly link: Link
  readonly recorder: FlightRecorder
  readonly runtimes: ReadonlyMap<string, DeviceRuntime>
  /** See `shapeOf`. */
  readonly shape: string
}

interface ConnectionsDependencies extends RuntimeDependencies {
  readonly log: Log
  /** Address of the simulated inverter; the first call starts it. */
  readonly simulated: () => Promise<{ host: string; port: number }>
}

/** Text of the members of an endpoint's devices that need a new connection or runtime when they change. */
const shapeOf = (group: readonly Device[]): string =>
  JSON.stringify(
    group.map((device) => `${device.id} ${device.networkId} ${device.requestGapMs} ${device.periodicReads}`).sort(),
  )

/** The open connections and running devices, in step with the configured list. */
export class DeviceConnections {
  readonly #dependencies: ConnectionsDependencies
  readonly #open = new Map<string, Endpoint>()
  readonly #tests = createKeyedQueue(8)

  constructor(dependencies: ConnectionsDependencies) {
    this.#dependencies = dependencies
  }

  /** Applies the list: starts new devices, closes removed ones and leaves unchanged ones running. */
  async rebuild(devices: readonly Device[]): Promise<void> {
    const groups = Map.groupBy(devices, endpointOf)
    for (const [id, open] of this.#open) {
      const wanted = groups.get(id)
      // Names and limits change without touching the connection.
      if (wanted === undefined || shapeOf(wanted) !== open.shape) await this.#closeEndpoint(open)
    }
    for (const [id, group] of groups) if (!this.#open.has(id)) await this.#openEndpoint(id, group)
  }

  device(id: string): DeviceRuntime | undefined {
    for (const { runtimes } of this.#open.values()) {
      const runtime = runtimes.get(id)
      if (runtime !== undefined) return runtime
    }
    return undefined
  }

  /** As `device`, but throws `unknown_device`. */
  required(id: string): DeviceRuntime {
    const runtime = this.device(id)
    if (runtime === undefined) throw unknownDevice(id)
    return runtime
  }

  /** The device of this network id behind the same connection as another; without a network id that device itself. */
  besides(id: string, networkId: number | undefined): DeviceRuntime | undefined {
    const endpoint = this.endpoints().find(({ runtimes }) => runtimes.has(id))
    if (endpoint === undefined || networkId === undefined) return endpoint?.runtimes.get(id)
    return endpoint.runtimes.values().find((runtime) => runtime.networkId === networkId)
  }

  devices(): readonly DeviceRuntime[] {
    return this.#open
      .values()
      .flatMap(({ runtimes }) => runtimes.values())
      .toArray()
  }

  endpoints(): readonly Endpoint[] {
    return [...this.#open.values()]
  }

  /** Ids of devices by the addresses that they were reached at, of those at this port. */
  connected(port: number): Map<string, string> {
    const found = new Map<string, string>()
    for (const { port: own, link, runtimes } of this.#open.values()) {
      const [id] = runtimes.keys()
      if (own === port && link.remoteAddress !== undefined && id !== undefined) found.set(link.remoteAddress, id)
    }
    return found
  }

  /** Tests the connection to an inverter that may not be configured yet, over the existing connection if there is one. */
  async test(test: ConnectionTest): Promise<ConnectionResult> {
    const { catalog, timers } = this.#dependencies
    const { testConnection } = await import('./connection-test.ts')
    const wanted = `${test.host.toLowerCase()}:${test.port}`
    // One after the other: two tests of an inverter would disturb each other.
    const work = async () => testConnection(test, { catalog, timers, link: await this.#linkTo(test) })
    return this.#tests.run(wanted, work).catch((error: unknown) => {
      if (!(error instanceof QueueFull)) throw error
      throw new Problem('queue_full', 'Too many tests of this connection wait for each other')
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.endpoints().map((endpoint) => this.#closeEndpoint(endpoint)))
  }

  /** The link to an endpoint, also when that is named by another of its names or addresses. */
  async #linkTo({ host, port }: ConnectionTest): Promise<Link | undefined> {
    const { timers } = this.#dependencies
    const atPort = this.endpoints().filter((endpoint) => endpoint.port === port)
    const named = atPort.find((endpoint) => endpoint.host.toLowerCase() === host.toLowerCase())
    if (named !== undefined || atPort.length === 0) return named?.link
    const wanted = new Set(await addressesOf(host, timers))
    const isWanted = async (endpoint: Endpoint) => {
      const { remoteAddress } = endpoint.link
      if (remoteAddress !== undefined && wanted.has(remoteAddress)) return endpoint
      return (await addressesOf(endpoint.host, timers)).some((address) => wanted.has(address)) ? endpoint : undefined
    }
    return (await Promise.all(atPort.map(isWanted))).find((endpoint) => endpoint !== undefined)?.link
  }

  async #openEndpoint(id: string, group: readonly Device[]): Promise<void> {
    const { timers, log, catalog } = this.#dependencies
    const [first] = group
    if (first === undefined) return
    const { host, port } = first.isSimulated ? await this.#dependencies.simulated() : first
    const recorder = createFlightRecorder({ timers })
    const heartbeat = catalog.byName(catalog.roles.heartbeat)
    const link = new Link({
      host,
      port,
      gapMs: Math.max(...group.map((device) => device.requestGapMs)),
      timers,
      log: log.child({ endpoint: id }),
      onFrame: (direction, frame, bytes) => recorder.record(direction, frame, bytes),
      ...(heartbeat === undefined ? {} : { probe: { objectId: heartbeat.objectId, address: first.networkId } }),
    })
    const runtimes = new Map(group.map((device) => [device.id, new DeviceRuntime(device, link, this.#dependencies)]))
    this.#open.set(id, { id, host, port, link, recorder, runtimes, shape: shapeOf(group) })
  }

  async #closeEndpoint({ id, link, runtimes }: Endpoint): Promise<void> {
    this.#open.delete(id)
    await Promise.all([...runtimes.values()].map((runtime) => runtime.close()))
    await link.close()
  }
}
