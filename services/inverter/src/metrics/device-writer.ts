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

export interface PendingWrite extends WriteCause {
  readonly object: CatalogObject
  readonly value: WireValue
  readonly priority: Priority
  readonly oldValue: ApiValue | null
  /** Called at the moment the value leaves for the device; throws to refuse the write. */
  readonly checkSending?: (() => void) | undefined
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
export type DeviceWriter = ReturnType<typeof createDeviceWriter>

/** Creates the writer of a device. */
export function createDeviceWriter(dependencies: WriterDependencies) {
  const { deviceId, reader, timers, journal, onWritten } = dependencies

  const note = (write: PendingWrite, outcome: JournalEntry['outcome'], readback: ApiValue | null) =>
    journal({
      device_id: deviceId,
      metric: write.object.name,
      old_value: write.oldValue,
      new_value: write.value,
      readback_value: readback,
      outcome,
      cause: write.cause,
      caller: write.caller,
      operation_id: write.operationId,
    })

  return {
    /**
     * Sends a value and reads the register until it reads as written; throws `write_outcome_unknown` with the last value read
     * when it does not. An action is read once, because nothing says whether it ran. `sendUnconfirmed` when the connection broke
     * while the value was sent, so that only the readback shows the outcome.
     */
    async write(write: PendingWrite): Promise<{ readback: ApiValue | null; sendUnconfirmed: boolean }> {
      const { object, value, priority } = write
      const sendUnconfirmed = await send(dependencies, write).catch(async (error: unknown) => {
        await note(write, 'failed', null)
        throw error
      })
      const begun = timers.monotonic()
      let readback: ApiValue | null = null
      for (const pause of object.isAction ? readBackDelays.slice(0, 1) : readBackDelays) {
        if (timers.monotonic() - begun > readBackTimeout) break
        await timers.delay(pause)
        const read = await reader.readDirect(object, priority).catch(() => undefined)
        readback = read?.value ?? readback
        if (object.isAction || readback === null || !isSameValue(object, value, readback)) continue
        await note(write, 'confirmed', readback)
        onWritten(object)
        return { readback, sendUnconfirmed }
      }
      await note(write, 'unconfirmed', readback)
      if (object.isAction && readback !== null) return { readback, sendUnconfirmed }
      const what = object.isAction ? 'could not be read back' : 'does not read as written'
      throw new Problem('write_outcome_unknown', `${object.name} was sent, but ${what}`, {
        members: { readback_value: readback },
      })
    },
  }
}

/** Sends a value. Returns true when the connection broke while bytes may have left. */
async function send(dependencies: WriterDependencies, write: PendingWrite): Promise<boolean> {
  const { link, address, confirmIdentity, timers } = dependencies
  const { object, value, priority, cause, check, checkSending } = write
  const payload = payloadOf(object, value)
  let connections = 0
  for (let attempt = 0; ;) {
    // The own settings are restored on any connection, whatever runs on the device now.
    const epoch = cause === 'restore' ? undefined : await confirmIdentity(priority)
    await check?.()
    try {
      await link.write(object.objectId, payload, {
        address,
        priority,
        check: checkSending,
        ...(epoch === undefined ? {} : { epoch }),
      })
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
