import { createKeyedQueue, QueueFull } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { deviceProblem } from '../metrics/device-problem.ts'
import { apiValueOf, type ApiValue } from '../metrics/value.ts'
import type { MetricWrites } from '../metrics/write-metric.ts'
import { invalid, Problem } from '../problems.ts'
import type { Frame } from '../protocol/frame.ts'
import type { SharedClient } from './schema.ts'

/** What answers the requests of other programs. */
export interface AnswersDependencies {
  readonly catalog: Catalog
  readonly writes: Pick<MetricWrites, 'write' | 'triggerAction'>
  /** The running device that a request is about: the one that is shared, or the one of its plant with a network id. */
  readonly find: (deviceId: string, networkId: number | undefined) => DeviceRuntime | undefined
  /** Age up to which a value is not read again, milliseconds. */
  readonly maxAge: number
}

/** How a request ended. */
export type Outcome =
  | { readonly kind: 'answered'; readonly payload: Uint8Array; readonly isFromCache: boolean }
  /** The inverter did not answer, or is none that is known here: the client hears nothing, as from an inverter. */
  | { readonly kind: 'silence' }
  | { readonly kind: 'written' }
  | { readonly kind: 'refused'; readonly detail: string }

/** Requests of several programs that wait for one inverter. Each program waits with one. */
const mayWait = 64

/** Bytes of the time that a question to the inverter's logger holds. */
const timeBytes = 4

const silence: Outcome = { kind: 'silence' }

/** Answers requests for one shared inverter, from the cache or by asking it, one request at a time and each program in turn. */
export class Answers {
  readonly #deviceId: string
  readonly #dependencies: AnswersDependencies
  readonly #turns = createKeyedQueue(mayWait)
  /** Readings under way, by device and object: several programs that want the same value share one. */
  readonly #readings = new Map<string, Promise<Outcome>>()

  constructor(deviceId: string, dependencies: AnswersDependencies) {
    this.#deviceId = deviceId
    this.#dependencies = dependencies
  }

  /** Answers a request of a client; never throws for what a client or the inverter does. */
  async answer(frame: Frame, client: SharedClient): Promise<Outcome> {
    const { catalog, find } = this.#dependencies
    const device = find(this.#deviceId, frame.address)
    const object = catalog.byId(frame.objectId)
    // An object that is not in the catalog may be one that the firmware does not know: each such question costs the connection.
    if (device === undefined || object === undefined) return silence
    try {
      if (frame.command === 'read' || frame.command === 'read-periodically') return await this.#read(device, object)
      if (frame.command !== 'write' && frame.command !== 'long-write') return silence
      return object.response === undefined
        ? await this.#write({ device, object, payload: frame.payload }, client)
        : await this.#askLogger(device, object, frame.payload)
    } catch (error) {
      if (error instanceof Problem || error instanceof QueueFull) return silence
      throw error
    }
  }

  async #read(device: DeviceRuntime, object: CatalogObject): Promise<Outcome> {
    const { maxAge } = this.#dependencies
    const known = device.reader.cache.get(object.name)
    if (known !== undefined && device.reader.cache.age(known) < maxAge)
      return { kind: 'answered', payload: await device.reader.readBytes(object, maxAge), isFromCache: true }
    const key = `${device.deviceId} ${object.name}`
    const running = this.#readings.get(key)
    if (running !== undefined) return asShared(await running)
    const reading = this.#inTurn(async (): Promise<Outcome> => {
      return { kind: 'answered', payload: await device.reader.readBytes(object, maxAge), isFromCache: false }
    }).finally(() => this.#readings.delete(key))
    this.#readings.set(key, reading)
    return reading
  }

  /** The inverter's logger is asked by a write that changes nothing and is answered. */
  async #askLogger(device: DeviceRuntime, object: CatalogObject, payload: Uint8Array): Promise<Outcome> {
    if (payload.length !== timeBytes)
      return { kind: 'refused', detail: `${object.name}: a question has a time of 4 bytes` }
    return this.#inTurn(async () => {
      const { link, networkId: address } = device
      const answer = await link
        .query(object.objectId, payload, { address, priority: 'normal' })
        .catch((error: unknown) => {
          throw deviceProblem(error)
        })
      return { kind: 'answered', payload: answer, isFromCache: false }
    })
  }

  /** Writes by the same way as every caller of the API; the rule of the client comes before it. */
  async #write(
    { device, object, payload }: { device: DeviceRuntime; object: CatalogObject; payload: Uint8Array },
    client: SharedClient,
  ): Promise<Outcome> {
    const { name } = object
    if (!client.may_write.includes(name)) return { kind: 'refused', detail: `${client.name} may not write ${name}` }
    const { writes } = this.#dependencies
    try {
      const value = valueOf(object, payload)
      const request = { name, value, caller: `shared port: ${client.name}`, cause: 'api' } as const
      await (object.isAction ? writes.triggerAction(device.deviceId, request) : writes.write(device.deviceId, request))
      return { kind: 'written' }
    } catch (error) {
      const problem = deviceProblem(error)
      if (problem instanceof Problem) return { kind: 'refused', detail: `${client.name}, ${name}: ${problem.message}` }
      throw error
    }
  }

  #inTurn(work: () => Promise<Outcome>): Promise<Outcome> {
    return this.#turns.run('inverter', work)
  }
}

/** The value that a client wants to write. Throws a `Problem` when the bytes are none of the object's type. */
function valueOf(object: CatalogObject, payload: Uint8Array): ApiValue {
  try {
    return apiValueOf(object, payload)
  } catch (error) {
    throw invalid('value', `is no value of the type ${object.type}: ${(error as Error).message}`)
  }
}

/** The outcome for a program that shared the reading of another. */
const asShared = (outcome: Outcome): Outcome =>
  outcome.kind === 'answered' ? { ...outcome, isFromCache: true } : outcome
