import type { Timers } from '@hearth/runtime'
import type { CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { ApiValue } from '../metrics/value.ts'
import { Problem } from '../problems.ts'
import type { SnapshotPayload } from './payload.ts'

/** Pause before the device is tried again, milliseconds, and the number of tries in a row before the reading gives up. */
const retryMs = 30_000
const maxTries = 20

/** Pause when others use the device, milliseconds. */
const busyMs = 2000

/** Time for a new connection after a parameter was not answered, milliseconds. */
const reconnectMs = 4000

/** Silences after which a parameter counts as unanswered. */
const maxSilences = 2

/** The device gives no values for longer than the reading waits. */
export class ReadingInterrupted extends Error {}

export interface ReadingDependencies {
  readonly timers: Timers
  readonly device: () => Pick<DeviceRuntime, 'reader'> | undefined
  /** Object that every firmware answers. */
  readonly heartbeat: CatalogObject
  /** Called after each parameter, and when the reading begins to wait. */
  readonly onProgress: (waitingFor: string | null) => void
  readonly signal: AbortSignal
}

/** Result of one attempt to read a parameter. */
type Attempt =
  | { readonly kind: 'value'; readonly value: number | boolean | string }
  | { readonly kind: 'failure'; readonly failure: 'unanswered' | 'invalid' }
  | { readonly kind: 'busy' | 'down'; readonly reason: string }

/**
 * Reads parameters into a payload that may hold some already, one request at a time behind all others. While the device does
 * not answer it waits and goes on later. Throws a `ReadingInterrupted` when that takes too long, and the reason of the signal.
 */
export async function readParameters(
  objects: readonly CatalogObject[],
  payload: SnapshotPayload,
  dependencies: ReadingDependencies,
): Promise<void> {
  const { timers, onProgress, signal } = dependencies
  for (const object of objects) {
    if (payload.values[object.name] !== undefined || payload.failures[object.name] !== undefined) continue
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted()
      const attempt = await readOne(object, dependencies)
      signal.throwIfAborted()
      if (attempt.kind === 'value') payload.values[object.name] = attempt.value
      else if (attempt.kind === 'failure') payload.failures[object.name] = attempt.failure
      else {
        if (tries >= maxTries) throw new ReadingInterrupted(attempt.reason)
        onProgress(attempt.reason)
        await timers.delay(attempt.kind === 'busy' ? busyMs : retryMs, signal)
        continue
      }
      onProgress(null)
      break
    }
  }
}

async function readOne(object: CatalogObject, dependencies: ReadingDependencies): Promise<Attempt> {
  const { device, heartbeat } = dependencies
  for (let silences = 1; ; silences += 1) {
    const reader = device()?.reader
    if (reader === undefined) return { kind: 'down', reason: 'The inverter is not connected' }
    if (reader.isLeftOut(object)) return { kind: 'failure', failure: 'unanswered' }
    try {
      return valueOf((await reader.readDirect(object, 'background')).value)
    } catch (error) {
      const attempt = attemptOf(error)
      if (attempt !== undefined) return attempt
    }
    // Nobody answered: another object shows whether it is this one or the device.
    await reader.reconnected(reconnectMs)
    const answers = await reader.readDirect(heartbeat, 'background').catch(() => undefined)
    if (answers === undefined) return { kind: 'down', reason: 'The inverter does not answer' }
    if (silences >= maxSilences) return { kind: 'failure', failure: 'unanswered' }
  }
}

/** A value as it is kept: all digits that a 32-bit float has. */
function valueOf(value: ApiValue): Attempt {
  if (typeof value === 'object') return { kind: 'failure', failure: 'invalid' }
  return { kind: 'value', value: typeof value === 'number' ? Number(value.toPrecision(9)) : value }
}

/** Undefined for a silence. */
function attemptOf(error: unknown): Attempt | undefined {
  if (!(error instanceof Problem)) throw error
  const { code, message } = error
  if (code === 'device_timeout') return undefined
  if (code === 'protocol_error') return { kind: 'failure', failure: 'invalid' }
  const isBusy = code === 'queue_full' || code === 'queue_timeout'
  return isBusy ? { kind: 'busy', reason: 'Others use the inverter' } : { kind: 'down', reason: message }
}
