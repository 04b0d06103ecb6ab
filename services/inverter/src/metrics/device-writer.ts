import type { Timers } from '@hearth/runtime'
import type { CatalogObject } from '../catalog/catalog.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { Link, Priority } from '../link/link.ts'
import { LinkError } from '../link/link-errors.ts'
import { Problem } from '../problems.ts'
import type { WireValue } from '../protocol/wire-value.ts'
import { deviceProblem } from './device-problem.ts'
import type { DeviceReader } from './device-reader.ts'
import { isSameValue, payloadOf, type ApiValue } from './value.ts'

/** Pauses before each look whether a written value is there, milliseconds: a device never answers a write. */
const looks = [300, 300, 400, 500, 700, 900]

/** How often a write that left no byte is tried again. */
const retries = 2

/** What a write is for. */
export interface WriteCause {
  readonly cause: 'api' | 'admin' | 'dispatch' | 'restore'
  readonly caller: string | null
  readonly operationId: string | null
}

/** How a write ended that was sent. */
export interface WriteOutcome {
  readonly readback: ApiValue | null
  /** The connection broke while the value was sent, so that only the readback tells. */
  readonly sendUnconfirmed: boolean
}

export interface WriteOrder extends WriteCause {
  readonly object: CatalogObject
  readonly value: WireValue
  readonly priority: Priority
  readonly oldValue: ApiValue | null
}

/** Writes to one device and looks whether it took. */
export interface DeviceWriter {
  /** Resolves when the register reads as written; throws `write_outcome_unknown` with the last value read when it does not. */
  write(order: WriteOrder): Promise<WriteOutcome>
  /** Sends an action code and reads once what the register says; nothing tells whether the action ran. */
  act(order: WriteOrder): Promise<WriteOutcome>
}

export interface WriterParts {
  readonly deviceId: string
  readonly link: Pick<Link, 'write'>
  readonly address: number | undefined
  readonly reader: DeviceReader
  readonly timers: Timers
  readonly journal: (entry: JournalEntry) => Promise<void>
  /** Hears of every confirmed write. */
  readonly onWritten: (object: CatalogObject) => void
}

export function createDeviceWriter(parts: WriterParts): DeviceWriter {
  const { link, address, reader, timers } = parts

  /** True when the connection broke while bytes may have left. */
  async function send({ object, value, priority }: WriteOrder): Promise<boolean> {
    const payload = payloadOf(object, value)
    for (let attempt = 0; ; attempt += 1) {
      try {
        await link.write(object.objectId, payload, { address, priority })
        return false
      } catch (error) {
        if (!(error instanceof LinkError)) throw error
        if (error.sent) return true
        const mayTryAgain = object.isIdempotent && !object.isAction && error.failure === 'unreachable'
        if (!mayTryAgain || attempt >= retries) throw deviceProblem(error)
        await timers.delay(1000)
      }
    }
  }

  async function look({ object, priority }: WriteOrder): Promise<ApiValue | null> {
    try {
      return (await reader.readDirect(object, priority)).value
    } catch {
      return null
    }
  }

  async function note(order: WriteOrder, outcome: JournalEntry['outcome'], readback: ApiValue | null): Promise<void> {
    const { object, value, oldValue, cause, caller, operationId } = order
    await parts.journal({
      deviceId: parts.deviceId,
      metric: object.name,
      oldValue,
      newValue: value,
      readback,
      outcome,
      cause,
      caller,
      operationId,
    })
  }

  async function sendOrNote(order: WriteOrder): Promise<boolean> {
    try {
      return await send(order)
    } catch (error) {
      await note(order, 'failed', null)
      throw error
    }
  }

  async function write(order: WriteOrder): Promise<WriteOutcome> {
    const sendUnconfirmed = await sendOrNote(order)
    let readback: ApiValue | null = null
    for (const pause of looks) {
      await timers.delay(pause)
      readback = (await look(order)) ?? readback
      if (readback === null || !isSameValue(order.object, order.value, readback)) continue
      await note(order, 'confirmed', readback)
      parts.onWritten(order.object)
      return { readback, sendUnconfirmed }
    }
    await note(order, 'unconfirmed', readback)
    throw new Problem('write_outcome_unknown', `${order.object.name} was sent, but does not read as written`, {
      members: { readback_value: readback },
    })
  }

  async function act(order: WriteOrder): Promise<WriteOutcome> {
    const sendUnconfirmed = await sendOrNote(order)
    await timers.delay(looks[0] ?? 0)
    const readback = await look(order)
    await note(order, 'unconfirmed', readback)
    if (readback === null)
      throw new Problem('action_outcome_unknown', `${order.object.name} was sent, but could not be read back`, {
        members: { readback_value: null },
      })
    return { readback, sendUnconfirmed }
  }

  return { write, act }
}
