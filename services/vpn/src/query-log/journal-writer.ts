import { appendFileSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type LogEntry, LogRing } from '../dns/log-ring.ts'
import { batchesIn, batchFileName, journalFile } from './journal-files.ts'
import { hasSettled, mergeRings } from './merge-rings.ts'

/** Entries and bytes of one batch, at most. */
const maxBatch = { entries: 2000, bytes: 700_000 } as const
/** Age at which a batch is closed, milliseconds: while none waits to be sent, and while some do, so that they are not many. */
const closeAfterMs = { usual: 2000, waiting: 30_000 } as const

/**
 * Moves entries from the rings into batches in a folder, from which another program sends them. Never throws for failures of the disk:
 * entries wait in their ring, which drops and counts those beyond its size.
 */
export class JournalWriter {
  readonly #folder: string
  readonly #rings: readonly LogRing[]
  #upstreams: readonly string[]
  /** Number of the last batch. */
  #last = 0
  /** The batch that is being written. */
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
    return this.#rings.reduce((sum, ring) => sum + ring.lost(), 0)
  }

  /** Bytes that wait in the rings. */
  get waiting(): number {
    return this.#rings.reduce((sum, ring) => sum + ring.waiting(), 0)
  }

  /** Makes the folder, and a batch of what a program that was killed left behind. */
  start(): void {
    this.#try(() => {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      this.#last = Math.max(batchesIn(this.#folder).at(-1)?.number ?? 0, this.#lastSent())
      const left = this.#left()
      if (left > 0) this.#close(left)
    })
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
    for (const ring of this.#rings) {
      if (isWritten) ring.release()
      else ring.rewind()
    }
    return isWritten ? lines.length : 0
  }

  /** Closes the batch when it is full or old enough, or at once. */
  closeWhenDue(now: number, isLast = false): void {
    const { entries, bytes, since } = this.#open
    if (entries === 0) return
    const isFull = entries >= maxBatch.entries || bytes >= maxBatch.bytes
    const age = now - since
    const isOld = age >= closeAfterMs.waiting || (age >= closeAfterMs.usual && batchesIn(this.#folder).length === 0)
    if (isFull || isOld || isLast || age < 0) this.#try(() => this.#close(entries))
  }

  #append(lines: readonly string[]): void {
    const text = lines.join('')
    appendFileSync(join(this.#folder, journalFile.open), text, { mode: 0o600 })
    const { entries, bytes, since } = this.#open
    this.#open = {
      entries: entries + lines.length,
      bytes: bytes + text.length,
      since: entries === 0 ? Date.now() : since,
    }
  }

  /** The entry is whole on the disk before its batch has a name. */
  #close(entries: number): void {
    const path = join(this.#folder, journalFile.open)
    const descriptor = openSync(path, 'r+')
    fsyncSync(descriptor)
    closeSync(descriptor)
    renameSync(path, join(this.#folder, batchFileName(this.#last + 1, entries)))
    this.#last += 1
    this.#open = { entries: 0, bytes: 0, since: 0 }
  }

  #line(entry: LogEntry): string {
    const { at, client, type, status, reason, source, traits, rcode, upstream, micros } = entry
    const name = Buffer.from(entry.name.subarray(0, entry.nameLength)).toString('base64url')
    const label = upstream === 0 ? null : (this.#upstreams[upstream - 1] ?? null)
    const decision = [type, status, reason, source, traits, rcode]
    return `${JSON.stringify([Math.floor(at), client, name, ...decision, label, Math.floor(micros)])}\n`
  }

  #left(): number {
    try {
      return readFileSync(join(this.#folder, journalFile.open), 'latin1').split('\n').length - 1
    } catch {
      return 0
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
