import { createKeyedQueue, QueueFull } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { AllowlistEntry } from '../catalog/schema.ts'
import { Problem } from '../problems.ts'
import type { WireValue } from '../protocol/wire-value.ts'
import { checkValue } from './check-value.ts'
import { holdsNoNumber } from './device-problem.ts'
import type { DeviceReader } from './device-reader.ts'
import type { DeviceWriter, WriteOrder } from './device-writer.ts'
import type { ActionResult, WriteResult } from './schema.ts'
import type { ApiValue } from './value.ts'

/** A write by a caller. */
export interface WriteRequest {
  readonly name: string
  readonly value: unknown
  readonly caller: string
  readonly cause: 'api' | 'admin'
}

/** The device a value is written to. */
export interface WriteTarget {
  readonly deviceId: string
  readonly reader: DeviceReader
  readonly writer: DeviceWriter
}

export interface MetricWriteParts {
  readonly catalog: Catalog
  readonly isApproved: (name: string) => boolean
  readonly isWriteAccessOn: () => boolean
  /** Throws when the device's battery is being dispatched or restored. */
  readonly checkUndisturbed: (deviceId: string, name: string) => void
  readonly now: () => number
}

/** Writes of one device that may wait for each other. */
const waiting = 16

const actionNote = 'The protocol has no feedback on whether an action ran. To repeat an action, write 0 first.'

interface Prepared {
  readonly object: CatalogObject
  readonly value: WireValue
}

/** Writing for callers: what may be written is settled before anything is sent. */
export class MetricWrites {
  readonly #parts: MetricWriteParts
  readonly #queue = createKeyedQueue(waiting)

  constructor(parts: MetricWriteParts) {
    this.#parts = parts
  }

  async write(target: WriteTarget, request: WriteRequest): Promise<WriteResult> {
    const { object, value } = this.#prepare(target, request, false)
    return this.#inTurn(target.deviceId, async () => {
      this.#checkStillAllowed(target, object)
      const oldValue = await valueBefore(target.reader, object)
      const { readback, sendUnconfirmed } = await target.writer.write(orderOf({ object, value }, oldValue, request))
      return {
        device_id: target.deviceId,
        name: object.name,
        written_value: value,
        readback_value: scalarOf(readback),
        confirmed: true,
        send_unconfirmed: sendUnconfirmed,
        timestamp: this.#timestamp(),
      }
    })
  }

  async act(target: WriteTarget, request: WriteRequest): Promise<ActionResult> {
    const { object, value } = this.#prepare(target, request, true)
    return this.#inTurn(target.deviceId, async () => {
      this.#checkStillAllowed(target, object)
      const oldValue = target.reader.cache.get(object.name)?.value ?? null
      const { readback } = await target.writer.act(orderOf({ object, value }, oldValue, request))
      return {
        device_id: target.deviceId,
        name: object.name,
        requested_value: value,
        readback_value: scalarOf(readback),
        action_confirmed: false,
        action_note: actionNote,
        timestamp: this.#timestamp(),
      }
    })
  }

  /** Settles everything that can be settled without the device. */
  #prepare({ deviceId }: WriteTarget, request: WriteRequest, isAction: boolean): Prepared {
    const object = this.#parts.catalog.byName(request.name)
    if (object === undefined || (isAction && !object.isAction))
      throw new Problem('unknown_metric', `There is no ${isAction ? 'action' : 'metric'} ${request.name}`)
    if (!isAction && object.isAction)
      throw new Problem('metric_is_action', `${request.name} is an action; send the same body to its action route`)
    const value = checkValue(object, this.#ruleFor(object), request.value)
    this.#parts.checkUndisturbed(deviceId, object.name)
    return { object, value }
  }

  /** Checks again when the write's turn comes: what was allowed at the request may not be any more. */
  #checkStillAllowed({ deviceId }: WriteTarget, object: CatalogObject): void {
    if (!this.#parts.isWriteAccessOn()) throw new Problem('write_disabled', 'Write access is off')
    this.#ruleFor(object)
    this.#parts.checkUndisturbed(deviceId, object.name)
  }

  #ruleFor(object: CatalogObject): AllowlistEntry {
    const rule = this.#parts.catalog.allowlist.get(object.name)
    if (rule === undefined || !this.#parts.isApproved(object.name))
      throw new Problem('write_not_allowed', `${object.name} is not approved for writing`)
    return rule
  }

  async #inTurn<T>(deviceId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#queue.run(deviceId, work)
    } catch (error) {
      if (error instanceof QueueFull)
        throw new Problem('queue_full', 'Too many writes wait for the device', { retryAfterSeconds: 2 })
      throw error
    }
  }

  #timestamp(): string {
    return new Date(this.#parts.now()).toISOString()
  }
}

/**
 * The value that a write replaces; null for a float register that holds no number, because nothing but a write repairs it.
 * Throws when the device does not answer or the bytes are not of the object's type.
 */
async function valueBefore(reader: DeviceReader, object: CatalogObject): Promise<ApiValue | null> {
  try {
    return (await reader.readDirect(object, 'normal')).value
  } catch (error) {
    if (holdsNoNumber(error)) return null
    throw error
  }
}

const orderOf = (
  { object, value }: Prepared,
  oldValue: ApiValue | null,
  { caller, cause }: WriteRequest,
): WriteOrder => ({
  object,
  value,
  priority: 'normal',
  oldValue,
  operationId: null,
  caller,
  cause,
})

const scalarOf = (value: ApiValue | null): number | boolean | string | null =>
  typeof value === 'object' ? null : value
