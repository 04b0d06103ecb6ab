import type { Timers } from '@hearth/runtime'
import type { CatalogObject } from '../catalog/catalog.ts'
import type { ConfirmIdentity } from './device-identity.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { Link } from '../link/link.ts'
import { LinkError } from '../link/link-errors.ts'
import type { Priority } from '../link/send-queue.ts'
import { Problem } from '../problems.ts'
import type { WireValue } from '../protocol/wire-value.ts'
import { deviceProblem } from './device-problem.ts'
import type { DeviceReader } from './device-reader.ts'
import { isSameValue, payloadOf, type ApiValue } from './value.ts'

/** Pauses before each reading back of a written value, milliseconds: a device never answers a write. */
const readBackDelays = [300, 300, 400, 500, 700, 900]

/** Time after which nothing is read back any more, milliseconds: a device that does not answer takes 5 s for each. */
const readBackTimeout = 10_000

/** Number of further attempts for a write of which no byte left. */
const retries = 2

/** Number of connections on which a write is tried when they are made anew before the value has left. */
const maxConnections = 3

/** Cause of a write. */
export interface WriteCause {
  readonly cause: 'api' | 'admin' | 'dispatch' | 'restore'
  readonly caller: string | null
  readonly operationId: string | null
  /** Called on the connection the value goes out on, when its firmware is known; rejects to refuse the write. */
  readonly check?: (() => Promise<void>) | undefined
}

/** Outcome of a write that was sent. */
interface WriteOutcome {
  readonly readback: ApiValue | null
  /** The connection broke while the value was sent, so that only the readback tells. */
  readonly sendUnconfirmed: boolean
}

export interface PendingWrite extends WriteCause {
  readonly object: CatalogObject
  readonly value: WireValue
  readonly priority: Priority
  readonly oldValue: ApiValue | null
}

interface WriterDependencies {
  readonly deviceId: string
  readonly link: Pick<Link, 'write' | 'status'>
  readonly address: number | undefined
  readonly reader: DeviceReader
  readonly confirmIdentity: ConfirmIdentity
  readonly timers: Timers
  readonly journal: (entry: JournalEntry) => Promise<void>
  /** Called after every confirmed write. */
  readonly onWritten: (object: CatalogObject) => void
}

/** Writes to one device and reads back what it took. */
export class DeviceWriter {
  readonly #dependencies: WriterDependencies

  constructor(dependencies: WriterDependencies) {
    this.#dependencies = dependencies
  }

  /** Resolves when the register reads as written; throws `write_outcome_unknown` with the last value read when it does not. */
  async write(write: PendingWrite): Promise<WriteOutcome> {
    const sendUnconfirmed = await this.#sendOrNote(write)
    const { timers } = this.#dependencies
    const begun = timers.monotonic()
    let readback: ApiValue | null = null
    for (const pause of readBackDelays) {
      if (timers.monotonic() - begun > readBackTimeout) break
      await timers.delay(pause)
      readback = (await this.#readBack(write)) ?? readback
      if (readback === null || !isSameValue(write.object, write.value, readback)) continue
      await this.#note(write, 'confirmed', readback)
      this.#dependencies.onWritten(write.object)
      return { readback, sendUnconfirmed }
    }
    await this.#note(write, 'unconfirmed', readback)
    throw new Problem('write_outcome_unknown', `${write.object.name} was sent, but does not read as written`, {
      members: { readback_value: readback },
    })
  }

  /** Sends an action code and reads once what the register says; nothing tells whether the action ran. */
  async triggerAction(write: PendingWrite): Promise<WriteOutcome> {
    const sendUnconfirmed = await this.#sendOrNote(write)
    await this.#dependencies.timers.delay(readBackDelays[0] ?? 0)
    const readback = await this.#readBack(write)
    await this.#note(write, 'unconfirmed', readback)
    if (readback === null)
      throw new Problem('write_outcome_unknown', `${write.object.name} was sent, but could not be read back`, {
        members: { readback_value: null },
      })
    return { readback, sendUnconfirmed }
  }

  async #sendOrNote(write: PendingWrite): Promise<boolean> {
    try {
      return await this.#send(write)
    } catch (error) {
      await this.#note(write, 'failed', null)
      throw error
    }
  }

  /** True when the connection broke while bytes may have left. */
  async #send(write: PendingWrite): Promise<boolean> {
    const { object, value, priority } = write
    const { link, address, timers } = this.#dependencies
    const payload = payloadOf(object, value)
    let connections = 0
    for (let attempt = 0; ;) {
      const epoch = await this.#confirmIdentity(write)
      try {
        await link.write(object.objectId, payload, { address, priority, ...(epoch === undefined ? {} : { epoch }) })
        return false
      } catch (error) {
        if (!(error instanceof LinkError)) throw error
        if (error.sent) return true
        connections += 1
        const isNewConnection = epoch !== undefined && link.status().epoch !== epoch
        if (isNewConnection && connections < maxConnections) continue
        // No byte left, so it cannot happen twice. Actions are left to their caller, and dispatch has retries of its own.
        const mayTryAgain = !object.isAction && priority !== 'control' && error.failure === 'unreachable'
        if (!mayTryAgain || attempt >= retries) throw deviceProblem(error)
        attempt += 1
        await timers.delay(1000)
      }
    }
  }

  /** The connection on which the value may go out. The own settings are put back on any, whatever runs on the device now. */
  async #confirmIdentity({ cause, priority, check }: PendingWrite): Promise<number | undefined> {
    if (cause === 'restore') return undefined
    const epoch = await this.#dependencies.confirmIdentity(priority)
    await check?.()
    return epoch
  }

  async #readBack({ object, priority }: PendingWrite): Promise<ApiValue | null> {
    try {
      return (await this.#dependencies.reader.readDirect(object, priority)).value
    } catch {
      return null
    }
  }

  async #note(write: PendingWrite, outcome: JournalEntry['outcome'], readback: ApiValue | null): Promise<void> {
    const { object, value, oldValue, cause, caller, operationId } = write
    await this.#dependencies.journal({
      device_id: this.#dependencies.deviceId,
      metric: object.name,
      old_value: oldValue,
      new_value: value,
      readback_value: readback,
      outcome,
      cause,
      caller,
      operation_id: operationId,
    })
  }
}
