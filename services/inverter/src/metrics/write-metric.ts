import { createKeyedQueue, QueueFull } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { AllowlistEntry } from '../catalog/schema.ts'
import { Problem, invalid, type ProblemCode } from '../problems.ts'
import type { WireValue } from '../protocol/wire-value.ts'
import { holdsNoNumber } from './device-problem.ts'
import type { DeviceReader } from './device-reader.ts'
import type { DeviceWriter } from './device-writer.ts'
import type { ActionResult, WriteResult } from './schema.ts'
import type { ApiValue } from './value.ts'

/** A write by a caller. */
interface WriteRequest {
  readonly name: string
  readonly value: unknown
  readonly caller: string
  readonly cause: 'api' | 'admin'
}

interface MetricWriteDependencies {
  readonly catalog: Catalog
  /** Throws `unknown_device`. */
  readonly device: (id: string) => { readonly reader: DeviceReader; readonly writer: DeviceWriter }
  readonly isApproved: (name: string) => boolean
  readonly isWriteAccessOn: () => boolean
  /** Throws when the device's battery is being dispatched or restored. */
  readonly checkWritable: (deviceId: string, name: string) => void
  readonly now: () => number
}

/** Writes of one device that may wait for each other. */
const waiting = 16

const actionNote = 'The protocol has no feedback on whether an action ran. To repeat an action, write 0 first.'

/** Writes of callers. Everything that can be checked without the device is checked before anything is sent. */
export type MetricWrites = ReturnType<typeof createMetricWrites>

/** Creates the writes of callers, one after the other for each device. */
export function createMetricWrites(dependencies: MetricWriteDependencies) {
  const { catalog, device, isApproved, isWriteAccessOn, checkWritable, now } = dependencies
  const queue = createKeyedQueue(waiting)

  function ruleFor({ name }: CatalogObject): AllowlistEntry {
    const rule = catalog.allowlist.get(name)
    if (rule === undefined || !isApproved(name))
      throw new Problem('write_not_allowed', `${name} is not approved for writing`)
    return rule
  }

  async function send(deviceId: string, { name, value: given, caller, cause }: WriteRequest, isAction: boolean) {
    const { reader, writer } = device(deviceId)
    const object = objectOf(catalog, name, isAction)
    const value = checkValue(object, ruleFor(object), given)
    checkWritable(deviceId, name)
    // Checked again when the write's turn comes and when it leaves: what was allowed at the request may not be any more.
    const checkSending = () => {
      if (!isWriteAccessOn()) throw new Problem('write_disabled', 'Write access is off')
      ruleFor(object)
      checkWritable(deviceId, name)
    }
    const work = async () => {
      checkSending()
      const oldValue = isAction ? (reader.cache.get(name)?.value ?? null) : await valueBefore(reader, object)
      const origin = { priority: 'normal', operationId: null, caller, cause } as const
      return writer.write({ object, value, oldValue, ...origin, checkSending })
    }
    const { readback, sendUnconfirmed } = await queue.run(deviceId, work).catch((error: unknown) => {
      if (!(error instanceof QueueFull)) throw error
      throw new Problem('queue_full', 'Too many writes wait for the device', { retryAfterSeconds: 2 })
    })
    const timestamp = new Date(now()).toISOString()
    return { value, readback: typeof readback === 'object' ? null : readback, sendUnconfirmed, timestamp }
  }

  return {
    async write(deviceId: string, request: WriteRequest): Promise<WriteResult> {
      const { value, readback, sendUnconfirmed, timestamp } = await send(deviceId, request, false)
      return {
        device_id: deviceId,
        name: request.name,
        written_value: value,
        readback_value: readback,
        confirmed: true,
        send_unconfirmed: sendUnconfirmed,
        timestamp,
      }
    },
    async triggerAction(deviceId: string, request: WriteRequest): Promise<ActionResult> {
      const { value, readback, timestamp } = await send(deviceId, request, true)
      return {
        device_id: deviceId,
        name: request.name,
        requested_value: value,
        readback_value: readback,
        action_confirmed: false,
        action_note: actionNote,
        timestamp,
      }
    },
  }
}

/** Returns the object that a caller writes; throws for an unknown name, and for an action in the place of a metric. */
function objectOf(catalog: Catalog, name: string, isAction: boolean): CatalogObject {
  const object = catalog.byName(name)
  if (object === undefined || (isAction && !object.isAction))
    throw new Problem('unknown_metric', `There is no ${isAction ? 'action' : 'metric'} ${name}`)
  if (!isAction && object.isAction)
    throw new Problem('metric_is_action', `${name} is an action; send the same body to its action route`)
  return object
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

/** Maximum length of a text that fits into one frame, bytes. */
const maxTextBytes = 128

/**
 * Checks a value to be written against the object's type and the allowlist; throws a 422 that names `value`.
 * Numbers are in the unit the metric reports; enumerations are numbers. Nothing is sent before this passed.
 */
export function checkValue(object: CatalogObject, rule: AllowlistEntry, value: unknown): WireValue {
  if (object.type === 'bool')
    return typeof value === 'boolean' ? value : refuse('must be true or false', 'value_type_mismatch')
  if (object.type === 'string') return checkText(value)
  if (typeof value !== 'number') return refuse('must be a number', 'value_type_mismatch')
  if (!Number.isFinite(value)) return refuse('must be finite', 'value_not_finite')
  if (object.type !== 'float' && !Number.isInteger(value))
    return refuse('must be a whole number', 'value_type_mismatch')
  checkLimits(rule, value)
  checkUnit(object, value)
  if (object.type === 'float' && !Number.isFinite(Math.fround(value / object.scale)))
    return refuse('does not fit a 32-bit float', 'value_out_of_range')
  return value
}

function checkText(value: unknown): string {
  if (typeof value !== 'string') return refuse('must be text', 'value_type_mismatch')
  if (value.includes('\0')) return refuse('must not contain a null character', 'value_out_of_range')
  if (Buffer.byteLength(value) > maxTextBytes)
    return refuse(`must have at most ${maxTextBytes} bytes`, 'value_out_of_range')
  return value
}

function checkLimits(
  { minimum = -Infinity, maximum = Infinity, allowed_values: allowed, step }: AllowlistEntry,
  value: number,
): void {
  if (value < minimum || value > maximum) refuse(`must be from ${minimum} to ${maximum}`, 'value_out_of_range')
  if (allowed !== undefined && !allowed.includes(value))
    refuse(`must be one of ${allowed.join(', ')}`, 'value_out_of_range')
  if (step === undefined) return
  const steps = (value - (Number.isFinite(minimum) ? minimum : 0)) / step
  if (Math.abs(steps - Math.round(steps)) > 1e-9) refuse(`must be a multiple of ${step}`, 'value_step_mismatch')
}

/** Units that leave no doubt about what a value can be. All other limits of the allowlist are those of the wire type. */
const unitRanges: Readonly<Record<string, readonly [number, number, string]>> = {
  '%': [0, 100, 'percent'],
  ratio: [0, 1, 'a share, 0.5 is 50 %'],
}

function checkUnit({ unit }: CatalogObject, value: number): void {
  const range = unitRanges[unit ?? '']
  if (range === undefined) return
  const [min, max, meaning] = range
  if (value < min || value > max) refuse(`must be from ${min} to ${max} (${meaning})`, 'value_out_of_range')
}

function refuse(detail: string, code: ProblemCode): never {
  throw invalid('value', detail, code)
}
