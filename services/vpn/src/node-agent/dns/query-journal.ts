import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Log, parseJson, type SettledClock, writeFileAtomic } from '@hearth/runtime'
import { z } from 'zod'
import { resolverFile } from '../../dns/resolver-files.ts'
import { LoggedEntry } from '../../nodes/link-schema.ts'
import { batchesIn, journalFile, type StoredBatch } from '../../query-log/journal-files.ts'
import { readResolverFile } from '../../resolver/stored-files.ts'
import { dnsFolderName } from './dns-folder.ts'

/** Bytes and days of queries that wait for the service, at most; settings that keep queries for less hold. */
const maxWaiting = { bytes: 64 << 20, days: 7 } as const
const day = 86_400_000
/** Pauses between two looks at the limits and at the folder, milliseconds: many batches may wait. */
const [limitEveryMs, listEveryMs] = [60_000, 10_000]
/** Pause between two lines of the log about queries that were deleted, milliseconds. */
const warnEveryMs = 3_600_000

/** What is gone from the journal: the number of the last batch, in the count that it belongs to, and queries that were lost, with the time of the last ones. */
const Position = z.object({
  count: z.uuid(),
  last: z.int().min(0),
  lost: z.int().min(0),
  lost_at: z.int().nullable().default(null),
})
type Position = z.infer<typeof Position>

/** A batch to send. */
export interface OutgoingBatch {
  readonly count: string
  readonly number: number
  readonly entries: readonly LoggedEntry[]
}

export interface QueryJournalDependencies {
  /** Data directory of the node. */
  readonly directory: string
  readonly log: Pick<Log, 'warn'>
  /** Tells whether the clock may decide what is too old. */
  readonly settled: Pick<SettledClock, 'isSettled'>
  /** Limits; for tests. */
  readonly limits?: { readonly bytes: number; readonly days: number }
}

/** Queries that the resolver of this node answered and the service has not written down yet, in files. */
export class QueryJournal {
  readonly #dependencies: QueryJournalDependencies
  readonly #dns: string
  readonly #folder: string
  #position: Position | undefined
  /** Batches that wait, the oldest first, as the folder was last listed. */
  #listed: StoredBatch[] = []
  #listedAt = -Infinity
  #limitedAt = -Infinity
  #warnedAt = -Infinity
  /** Queries that were deleted since. */
  #unsaid = 0

  constructor(dependencies: QueryJournalDependencies) {
    this.#dependencies = dependencies
    this.#dns = join(dependencies.directory, dnsFolderName)
    this.#folder = join(this.#dns, resolverFile.queryJournal)
  }

  /** Queries that waited when it looked last. */
  get waiting(): number {
    return entriesOf(this.#listed)
  }

  /** Queries that were deleted before the service had them. */
  get lost(): number {
    return this.#position?.lost ?? 0
  }

  /** When that happened last; null when it did not. */
  get lostAt(): number | null {
    return this.#position?.lost_at ?? null
  }

  /** Returns the oldest batch; undefined when none waits. */
  async oldest(): Promise<OutgoingBatch | undefined> {
    const batches = this.#batches()
    const [first] = batches
    if (first === undefined) return undefined
    const { count } = await this.#read()
    const text = await readFile(join(this.#folder, first.file), 'utf8').catch((error: unknown) => {
      this.#listedAt = -Infinity
      throw error
    })
    return { count, number: first.number, entries: entriesIn(text) }
  }

  /**
   * Takes over that the service has written down the batches up to this number. One that is greater than all that were ever sent means
   * that this disk holds an older journal than the service knows: another count begins.
   */
  async confirm(sent: number, counted: number): Promise<void> {
    if (counted > sent) await this.#write({ ...(await this.#read()), count: randomUUID() })
    else await this.#remove(this.#batches().filter(({ number }) => number <= counted))
  }

  /** Gives a batch up that the service does not take. */
  async giveUp(number: number, now: number): Promise<void> {
    const batches = this.#batches().filter((batch) => batch.number === number)
    await this.#remove(batches, { lost: entriesOf(batches), now })
  }

  /** Deletes what is too old, or too much. Looks once a minute. */
  async limit(now: number): Promise<void> {
    if (Math.abs(now - this.#limitedAt) < limitEveryMs) return
    this.#limitedAt = now
    this.#listedAt = -Infinity
    const batches = this.#batches()
    if (batches.length === 0) return
    const { logRetentionDays: kept } = await readResolverFile(this.#dns, 'settings')
    const { bytes, days } = this.#dependencies.limits ?? maxWaiting
    const isSettled = this.#dependencies.settled.isSettled()
    const since = (age: number) => (kept === 0 ? Infinity : isSettled ? now - age * day : -Infinity)
    const before = since(Math.min(kept, days))
    const found = await Promise.all(batches.map(({ file }) => stat(join(this.#folder, file))))
    let room = bytes
    const isKept = found.toReversed().map(({ size, mtimeMs }) => {
      room -= size
      return room >= 0 && mtimeMs >= before
    })
    const gone = batches.filter((_, index) => isKept[batches.length - 1 - index] !== true)
    if (gone.length === 0) return
    // What the settings do not keep is not lost.
    const expired = since(kept)
    const lost = gone.filter((batch) => (found[batches.indexOf(batch)]?.mtimeMs ?? 0) >= expired)
    await this.#remove(gone, { lost: entriesOf(lost), now })
    if (lost.length > 0) this.#warn(entriesOf(lost), now)
  }

  #warn(lost: number, now: number): void {
    this.#unsaid += lost
    if (Math.abs(now - this.#warnedAt) < warnEveryMs) return
    const { log } = this.#dependencies
    log.warn(`queries that wait for the service became too many or too old; deleted: ${this.#unsaid}`)
    this.#warnedAt = now
    this.#unsaid = 0
  }

  /** New batches come behind those that are known. */
  #batches(): StoredBatch[] {
    const now = performance.now()
    if (this.#listed.length === 0 || now - this.#listedAt >= listEveryMs) {
      this.#listed = batchesIn(this.#folder)
      this.#listedAt = now
    }
    return this.#listed
  }

  /** What is gone is noted first: its numbers are not given again. */
  async #remove(batches: readonly StoredBatch[], { lost, now } = { lost: 0, now: 0 }): Promise<void> {
    const greatest = batches.at(-1)?.number
    if (greatest === undefined) return
    const position = await this.#read()
    const more = lost === 0 ? {} : { lost: position.lost + lost, lost_at: now }
    await this.#write({ ...position, last: Math.max(position.last, greatest), ...more })
    for (const { file } of batches) await rm(join(this.#folder, file), { force: true })
    const gone = new Set(batches)
    this.#listed = this.#listed.filter((batch) => !gone.has(batch))
  }

  async #read(): Promise<Position> {
    if (this.#position !== undefined) return this.#position
    const text = await readFile(join(this.#folder, journalFile.position), 'utf8').catch(() => '')
    const { data } = Position.safeParse(parseJson(text))
    if (data === undefined) return this.#write({ count: randomUUID(), last: 0, lost: 0, lost_at: null })
    this.#position = data
    return data
  }

  async #write(position: Position): Promise<Position> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeFileAtomic(join(this.#folder, journalFile.position), JSON.stringify(position))
    this.#position = position
    return position
  }
}

const entriesOf = (batches: readonly StoredBatch[]): number => batches.reduce((sum, { count }) => sum + count, 0)

/** A line that a crash cut off is none. */
function entriesIn(text: string): LoggedEntry[] {
  return text.split('\n').flatMap((line) => {
    const { data } = LoggedEntry.safeParse(line === '' ? undefined : parseJson(line))
    return data === undefined ? [] : [data]
  })
}
