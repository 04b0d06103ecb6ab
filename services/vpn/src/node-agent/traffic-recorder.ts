import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyedQueue, type Clock, type Log, parseJson, writeFileAtomic } from '@hearth/runtime'
import type { Report } from '../nodes/link-schema.ts'
import type { DeviceState } from '../wireguard/device.ts'
import { stateFileName } from './state-file.ts'
import { type Readings, StoredJournal, TrafficJournal } from './traffic-journal.ts'

/** Name of the file with the journal of traffic in the data directory of a node. */
export const journalFileName = 'traffic.json'

export interface RecorderDependencies {
  readonly directory: string
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

/** Reads a device; undefined when it does not exist. */
type ReadDevice = (name: string) => Promise<DeviceState | undefined>

/** Keeps on the disk what the peers of this node transferred, until the service has it. */
export class TrafficRecorder {
  readonly #dependencies: RecorderDependencies
  readonly #journal: TrafficJournal
  /** Readings are taken one after the other: an older one taken late would look like a counter that began again. */
  readonly #queue = createKeyedQueue(1000)
  /** True while the disk holds an older journal, because it could not be written. */
  #isUnwritten = false

  private constructor(dependencies: RecorderDependencies, journal: TrafficJournal) {
    this.#dependencies = dependencies
    this.#journal = journal
  }

  /** Reads the journal. One that is damaged, or is missing although the node ran, is replaced by another count. */
  static async open(dependencies: RecorderDependencies): Promise<TrafficRecorder> {
    const { directory, clock, log } = dependencies
    const file = join(directory, journalFileName)
    const text = await readFile(file, 'utf8').catch(() => undefined)
    const { data } = StoredJournal.safeParse(text === undefined ? undefined : parseJson(text))
    if (data !== undefined) return new TrafficRecorder(dependencies, new TrafficJournal(data))
    const isLost = text !== undefined || existsSync(join(directory, stateFileName))
    if (isLost) log.warn(`${file} is missing or damaged: traffic that it held and the service did not count is lost`)
    const fresh = { count: randomUUID(), last: 0, until: clock.now(), numbered: [], spans: [], seen: {} }
    const recorder = new TrafficRecorder(dependencies, new TrafficJournal(fresh, isLost))
    // A program that is killed before its first reading must not find it missing.
    if (!isLost) await recorder.#keep(true)
    return recorder
  }

  /** Reads these devices and keeps what they counted since the last time. One that cannot be read keeps its counters meanwhile. */
  take(names: readonly string[], read: ReadDevice): Promise<void> {
    const { clock, log } = this.#dependencies
    return this.#queue.run('journal', async () => {
      const readings = new Map<string, DeviceState['peers'] | undefined>()
      for (const name of names) {
        try {
          readings.set(name, (await read(name))?.peers)
        } catch (error) {
          log.warn({ err: error, interface: name }, 'reading the device failed')
        }
      }
      await this.#keep(this.#journal.take(readings satisfies Readings, clock.now()))
    })
  }

  /** Returns what a report says of traffic, undefined for nothing. It is on the disk: nothing is sent whose number could be given twice. */
  toSend(): Promise<Report['traffic']> {
    return this.#queue.run('journal', async () => {
      const { batches, isChanged } = this.#journal.number()
      await this.#keep(isChanged)
      if (batches.length === 0 || this.#isUnwritten) return undefined
      return { count: this.#journal.count, batches: [...batches] }
    })
  }

  /** Takes over that the service has written down the batches up to this number. Returns true when there are more to send. */
  confirm(counted: number): Promise<boolean> {
    return this.#queue.run('journal', () => {
      this.#journal.confirm(counted, randomUUID)
      return Promise.resolve(this.#journal.isWaiting)
    })
  }

  /** Writes the journal when it changed, or could not be written before. */
  async #keep(isChanged: boolean): Promise<void> {
    if (!isChanged && !this.#isUnwritten) return
    const { directory, log } = this.#dependencies
    this.#isUnwritten = true
    try {
      await writeFileAtomic(join(directory, journalFileName), JSON.stringify(this.#journal.stored()))
      this.#isUnwritten = false
    } catch (error) {
      log.warn({ err: error }, 'the journal of traffic cannot be written; the devices keep their counters meanwhile')
    }
  }
}
