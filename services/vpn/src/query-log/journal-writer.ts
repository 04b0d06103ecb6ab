import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
} from 'node:fs'
import { join } from 'node:path'
import { type LogEntry, LogRing } from '../dns/log-ring.ts'
import { batchesIn, batchFileName, journalFile } from './journal-files.ts'
import { endWrite, hasSettled, lostOf, mergeRings, waitingIn } from './merge-rings.ts'

/** Entries and bytes of one batch, at most. */
const maxBatch = { entries: 2000, bytes: 700_000 } as const
/** Age at which a batch is closed, milliseconds: when the one before is sent, and while it waits, so that they are not many. */
const closeAfterMs = { usual: 2000, waiting: 300_000 } as const

/**
 * Moves entries from the rings into batches in a folder, from which another program sends them. Never throws for failures of the disk:
 * entries wait in their ring, which drops and counts those beyond its size.
 */
export class JournalWriter {
  readonly #folder: string
  readonly #rings: readonly LogRing[]
  #upstreams: readonly string[]
  /** Number of the last batch, and its path; it is there until the batch is sent, and all before it are sent by then. */
  #last = 0
  #lastFile = ''
  /** The batch that is being written; what its file holds beyond these bytes is a part of a write that failed. */
  #open = { entries: 0, bytes: 0, since: 0 }
  #failure: string | null = null
  /** Days; 0 keeps nothing. */
  retentionDays: number

  constructor(
    folder: string,
    rings: readonly SharedArrayBuffer[],
    { retentionDays, upstreams = [] }: { readonly retentionDays: number; readonly upstreams?: readonly string[] },
  ) {
    this.#folder = folder
    this.#rings = rings.map((memory) => new LogRing(memory))
    this.retentionDays = retentionDays
    this.#upstreams = upstreams
  }

  /** Reason why it cannot write, in words; null when it can. */
  get failure(): string | null {
    return this.#failure
  }

  /** Entries that found no room. */
  get lost(): number {
    return lostOf(this.#rings)
  }

  /** Bytes that wait in the rings. */
  get waiting(): number {
    return waitingIn(this.#rings)
  }

  /** Makes the folder, and a batch of what a program that was killed left behind. */
  start(): void {
    this.#try(() => {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      const last = batchesIn(this.#folder).at(-1)
      this.#last = Math.max(last?.number ?? 0, this.#lastSent())
      this.#lastFile = last === undefined ? '' : join(this.#folder, last.file)
      this.#open = this.#left()
      if (this.#open.entries > 0) this.#close()
    })
  }

  get #path(): string {
    return join(this.#folder, journalFile.open)
  }

  useUpstreams(labels: readonly string[]): void {
    this.#upstreams = labels
  }

  /** Returns true if there is anything to write by this clock, milliseconds since the epoch. */
  isDue(clock: () => number): boolean {
    return hasSettled(this.#rings, clock)
  }

  /** Writes what the rings hold, in the order of time. Returns how many entries that were. */
  write(clock = () => Infinity): number {
    const lines: string[] = []
    mergeRings(this.#rings, (entry) => this.retentionDays > 0 && lines.push(this.#line(entry)), {
      most: maxBatch.entries - this.#open.entries,
      clock,
    })
    const isWritten = lines.length === 0 || this.#try(() => this.#append(lines))
    endWrite(this.#rings, isWritten)
    return isWritten ? lines.length : 0
  }

  /** Closes the batch when it is full or old enough, or at once. */
  closeWhenDue(now: number, isLast = false): void {
    const { entries, bytes, since } = this.#open
    if (entries === 0) return
    const isFull = entries >= maxBatch.entries || bytes >= maxBatch.bytes
    const age = now - since
    const isOld = age >= closeAfterMs.waiting || (age >= closeAfterMs.usual && !existsSync(this.#lastFile))
    if (isFull || isOld || isLast || age < 0) this.#try(() => this.#close())
  }

  #append(lines: readonly string[]): void {
    const data = Buffer.from(lines.join(''))
    const { entries, bytes, since } = this.#open
    const descriptor = openSync(this.#path, 'a', 0o600)
    try {
      cut(descriptor, bytes)
      appendFileSync(descriptor, data)
    } catch (error) {
      // A full disk takes the beginning of it; all of it comes again.
      cut(descriptor, bytes)
      throw error
    } finally {
      closeSync(descriptor)
    }
    this.#open = {
      entries: entries + lines.length,
      bytes: bytes + data.length,
      since: entries === 0 ? Date.now() : since,
    }
  }

  /** The entry is whole on the disk before its batch has a name. */
  #close(): void {
    const { entries, bytes } = this.#open
    const descriptor = openSync(this.#path, 'r+')
    try {
      cut(descriptor, bytes)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    const file = join(this.#folder, batchFileName(this.#last + 1, entries))
    renameSync(this.#path, file)
    this.#last += 1
    this.#lastFile = file
    this.#open = { entries: 0, bytes: 0, since: 0 }
  }

  #line(entry: LogEntry): string {
    const { at, client, type, status, reason, source, traits, rcode, upstream, micros } = entry
    const name = Buffer.from(entry.name.subarray(0, entry.nameLength)).toString('base64url')
    const label = upstream === 0 ? null : (this.#upstreams[upstream - 1] ?? null)
    const decision = [type, status, reason, source, traits, rcode]
    return `${JSON.stringify([Math.floor(at), client, name, ...decision, label, Math.floor(micros)])}\n`
  }

  /** The whole entries of a batch that was not closed. */
  #left(): { entries: number; bytes: number; since: number } {
    try {
      const text = readFileSync(this.#path, 'latin1')
      return { entries: text.split('\n').length - 1, bytes: text.lastIndexOf('\n') + 1, since: 0 }
    } catch {
      return { entries: 0, bytes: 0, since: 0 }
    }
  }

  #lastSent(): number {
    try {
      const { last } = JSON.parse(readFileSync(join(this.#folder, journalFile.position), 'utf8')) as { last: unknown }
      return Number.isSafeInteger(last) ? Number(last) : 0
    } catch {
      return 0
    }
  }

  #try(act: () => void): boolean {
    try {
      act()
      this.#failure = null
      return true
    } catch (error) {
      this.#failure = (error as Error).message
      return false
    }
  }
}

/** Takes away what a file holds beyond so many bytes. */
function cut(descriptor: number, bytes: number): void {
  if (fstatSync(descriptor).size > bytes) ftruncateSync(descriptor, bytes)
}
