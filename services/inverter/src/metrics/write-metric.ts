import { createKeyedQueue, QueueFull } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { AllowlistEntry } from '../catalog/schema.ts'
import { Problem } from '../problems.ts'
import type { WireValue } from '../protocol/wire-value.ts'
import { checkValue } from './check-value.ts'
import type { DeviceReader } from './device-reader.ts'
import type { DeviceWriter } from './device-writer.ts'
import type { ActionResult, WriteResult } from './schema.ts'
import type { ApiValue } from './value.ts'

/** Who writes what. */
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

/** Writing for callers: what may be written is settled before anything is sent. */
export interface MetricWrites {
  write(target: WriteTarget, request: WriteRequest): Promise<WriteResult>
  act(target: WriteTarget, request: WriteRequest): Promise<ActionResult>
}

export interface MetricWriteParts {
  readonly catalog: Catalog
  readonly isApproved: (name: string) => boolean
  /** Throws when the device's battery is being dispatched or restored. */
  readonly checkUndisturbed: (deviceId: string, name: string) => void
  readonly now: () => number
}

/** Writes of one device that may wait for each other. */
const waiting = 16

const actionNote = 'The protocol has no feedback on whether an action ran. To repeat an action, write 0 first.'

export function createMetricWrites(parts: MetricWriteParts): MetricWrites {
  const queue = createKeyedQueue(waiting)

  function prepare(request: WriteRequest, isAction: boolean): { object: CatalogObject; value: WireValue } {
    const object = parts.catalog.byName(request.name)
    if (object === undefined || (isAction && !object.isAction))
      throw new Problem('unknown_metric', `There is no ${isAction ? 'action' : 'metric'} ${request.name}`)
    if (!isAction && object.isAction)
      throw new Problem('metric_is_action', `${request.name} is an action; send the same body to its action route`)
    return { object, value: checkValue(object, ruleFor(object), request.value) }
  }

  function ruleFor(object: CatalogObject): AllowlistEntry {
    const rule = parts.catalog.allowlist.get(object.name)
    if (rule === undefined || !parts.isApproved(object.name))
      throw new Problem('write_not_allowed', `${object.name} is not approved for writing`)
    return rule
  }

  async function inTurn<T>(deviceId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await queue.run(deviceId, work)
    } catch (error) {
      if (error instanceof QueueFull)
        throw new Problem('queue_full', 'Too many writes wait for the device', { retryAfterSeconds: 2 })
      throw error
    }
  }

  return {
    write(target, request) {
      const { object, value } = prepare(request, false)
      parts.checkUndisturbed(target.deviceId, object.name)
      return inTurn(target.deviceId, async () => {
        const oldValue = (await target.reader.readDirect(object, 'normal')).value
        const order = { object, value, priority: 'normal', oldValue, operationId: null, ...who(request) } as const
        const { readback, sendUnconfirmed } = await target.writer.write(order)
        return {
          device_id: target.deviceId,
          name: object.name,
          written_value: value,
          readback_value: scalarOf(readback),
          confirmed: true,
          send_unconfirmed: sendUnconfirmed,
          timestamp: new Date(parts.now()).toISOString(),
        }
      })
    },
    act(target, request) {
      const { object, value } = prepare(request, true)
      parts.checkUndisturbed(target.deviceId, object.name)
      return inTurn(target.deviceId, async () => {
        const oldValue = target.reader.cache.get(object.name)?.value ?? null
        const order = { object, value, priority: 'normal', oldValue, operationId: null, ...who(request) } as const
        const { readback } = await target.writer.act(order)
        return {
          device_id: target.deviceId,
          name: object.name,
          requested_value: value,
          readback_value: scalarOf(readback),
          action_confirmed: false,
          action_note: actionNote,
          timestamp: new Date(parts.now()).toISOString(),
        }
      })
    },
  }
}

const who = ({ caller, cause }: WriteRequest) => ({ caller, cause })

const scalarOf = (value: ApiValue | null): number | boolean | string | null =>
  typeof value === 'object' ? null : value
