import { isBeyondRepair, removeAside, rewriteTexts, setAside, sqliteCode } from './log-database.ts'
import type { LogRetention } from './log-retention.ts'
import { LogStore } from './log-store.ts'
import { endWrite, hasSettled, lostOf, mergeRings, waitingIn } from './merge-rings.ts'
import { LogRing, type LogEntry } from '../dns/log-ring.ts'
import { forgottenUntil, lastBatchOf, noteBatch, notePurge, type NodeQueryBatch } from './node-batches.ts'
import { forget, type Forgetting, type Upkeep } from './upkeep.ts'
import type { QueryWatch } from '../hints/query-watch.ts'
import type { LogClient } from './writer-messages.ts'

/** Entries in one transaction. */
const maxPerWrite = 65_536
/** Entries of nodes up to this age count for hints, milliseconds. */
const hintMs = 60_000
/** Entries between two checks of the backlog: about a millisecond of work. */
const entriesPerRead = 1024

/** Outcome of an upkeep. */
export interface UpkeepEnd {
  readonly removed: number
  readonly error: string | null
}

/** Outcome of a batch of a node: entries that were written, and the number of the node's last batch in the log. */
export interface TakenBatch {
  readonly count: number
  readonly last: number
}

interface Task {
  readonly upkeep: (store: LogStore) => Upkeep
  readonly isPurge: boolean
  readonly over: (end: UpkeepEnd) => void
  running?: Upkeep
  tries: number
}

/**
 * Moves entries from the rings into the file and deletes expired ones. Never throws for failures of the file: entries wait in
 * their ring, which drops and counts those beyond its size.
 */
export class LogWriter {
  readonly #file: string
  readonly #rings: readonly LogRing[]
  #store: LogStore | undefined
  #clients = new Map<number, LogClient>()
  /** Clients that the file does not have in their present form. */
  #unwritten = new Map<number, LogClient>()
  #areClientsWritten = true
  #upstreams: readonly string[] = []
  #failure: string | null = null
  #dropped = 0
  readonly #tasks: Task[] = []
  /** Watches what is written, for the hints. */
  watch: QueryWatch | undefined
  readonly retention: LogRetention

  constructor(file: string, rings: readonly SharedArrayBuffer[], retention: LogRetention) {
    this.#file = file
    this.#rings = rings.map((memory) => new LogRing(memory))
    this.retention = retention
  }

  /** Reason why it cannot write, in words; null when it can. */
  get failure(): string | null {
    return this.#failure
  }

  /** Entries that found no room or could not be written. */
  get lost(): number {
    return lostOf(this.#rings) + this.#dropped
  }

  /** Bytes that wait in the rings. */
  get waiting(): number {
    return waitingIn(this.#rings)
  }

  get hasUpkeep(): boolean {
    return this.#tasks.length > 0
  }

  useClients(clients: readonly LogClient[]): void {
    this.#clients = new Map(clients.map((client) => [client.number, client]))
    this.#unwritten = new Map(this.#clients)
    this.#areClientsWritten = false
  }

  changeClients(set: readonly LogClient[], removed: readonly number[]): void {
    for (const number of removed) {
      this.#clients.delete(number)
      this.#unwritten.delete(number)
    }
    for (const client of set) {
      this.#clients.set(client.number, client)
      this.#unwritten.set(client.number, client)
    }
    this.#areClientsWritten = false
  }

  useUpstreams(labels: readonly string[]): void {
    this.#upstreams = labels
    this.#store?.kinds.name(labels)
  }

  /**
   * Writes what the rings hold, in the order of time; by a clock what came in the last moment may have to wait for the next write,
   * see `mergeRings`. Returns how many entries that were. Meanwhile calls `look` again and again: a write that is given little of
   * the processor takes long, and much may come while it lasts.
   */
  write(look: () => void = () => undefined, clock = () => Infinity): number {
    let count = 0
    const isWritten = this.#transaction((store) => {
      const take = (entry: LogEntry): void => {
        count += 1
        if (count % entriesPerRead === 0) look()
        this.#take(store, entry)
      }
      writeClients(store, this.#unwritten.values())
      store.kinds.settle()
      mergeRings(this.#rings, take, { most: maxPerWrite, clock })
      store.flush()
    })
    if (isWritten) {
      this.#unwritten.clear()
      this.#areClientsWritten = true
    }
    this.watch?.settle(isWritten)
    endWrite(this.#rings, isWritten)
    return isWritten ? count : 0
  }

  /**
   * Writes queries that a node answered, in one transaction with the number of their batch; a batch that is written already is
   * passed over. Entries that are too old to be kept, or were forgotten since, are left out; those that find no place count as lost. To be called while there is no upkeep.
   * Returns undefined when that failed, see `failure`.
   */
  takeBatch(batch: NodeQueryBatch, now: number): TakenBatch | undefined {
    let [count, lost] = [0, 0]
    let { number: last } = batch
    const isWritten = this.#transaction((store) => {
      writeClients(store, this.#unwritten.values())
      const written = lastBatchOf(store.database, batch)
      last = Math.max(written, batch.number)
      if (written >= batch.number) return
      const kept = this.#keptOf(batch.entries, forgottenUntil(store.database), now)
      for (const entry of kept) this.#note(store, entry, now)
      lost = store.insert(kept, batch.upstreams)
      count = kept.length - lost
      noteBatch(store.database, batch, now)
    })
    if (isWritten) {
      this.#unwritten.clear()
      this.#areClientsWritten = true
    }
    this.watch?.settle(isWritten)
    if (!isWritten) return undefined
    this.#dropped += lost
    return { count, last }
  }

  /** Returns true if there is anything to write by this clock, milliseconds since the epoch. */
  isDue(clock: () => number): boolean {
    return hasSettled(this.#rings, clock) || !this.#areClientsWritten
  }

  /** Deletes expired entries, in steps; see `work`. With a clock that is not believed nothing has expired. */
  retain(now: number): void {
    const before = this.retention.oldestKept(now)
    if (before === -Infinity) return
    removeAside(this.#file, before)
    this.#schedule({ before, client: null }, false, () => undefined)
  }

  /** Deletes the queries before a time, by one client or all (null); the file holds nothing of it when `over` is called. */
  purge(forgetting: Forgetting, over: (end: UpkeepEnd) => void): void {
    removeAside(this.#file, Infinity)
    this.#transaction(({ database }) => notePurge(database, forgetting, Date.now()))
    this.#schedule(forgetting, true, over)
  }

  /** One step of the deletion. */
  work(): void {
    const task = this.#tasks[0]
    if (task === undefined) return
    let end: IteratorResult<undefined, number> | undefined
    const isDone = this.#transaction((store) => {
      task.running ??= task.upkeep(store)
      end = task.running.next()
    })
    if (!isDone) {
      // The transaction was undone, the generator stands behind it: all again from the start, a few times.
      task.running?.return(0)
      delete task.running
      task.tries += 1
      if (task.tries > 3) this.#end(task, { removed: 0, error: this.#failure ?? 'the file cannot be written' })
    } else if (end?.done === true) this.#end(task, { removed: end.value, error: this.#clean(task) })
  }

  close(): void {
    this.#store?.close()
    this.#store = undefined
  }

  #take(store: LogStore, entry: LogEntry): void {
    store.countHit(entry)
    this.watch?.note(entry, this.retention.days > 0)
    if (this.retention.days > 0) store.add(entry)
  }

  #keptOf(entries: readonly LogEntry[], forgotten: (client: number) => number, now: number): LogEntry[] {
    const oldest = this.retention.oldestKept(now)
    return entries.filter(({ at, client }) => at >= oldest && at >= forgotten(client))
  }

  /** Hints are about what happens now. */
  #note(store: LogStore, entry: LogEntry, now: number): void {
    store.countHit(entry)
    if (now - entry.at < hintMs) this.watch?.note(entry, true)
  }

  #schedule(forgetting: Forgetting, isPurge: boolean, over: (end: UpkeepEnd) => void): void {
    const current = () => new Set(this.#clients.keys())
    this.#tasks.push({ upkeep: (store) => forget(store, forgetting, current), isPurge, over, tries: 0 })
  }

  #end(task: Task, end: UpkeepEnd): void {
    this.#tasks.shift()
    task.over(end)
  }

  /**
   * Gives space back; after a purge also writes the names again and empties the write-ahead log, where the old pages stand. Null
   * when that worked.
   */
  #clean(task: Task): string | null {
    if (task.isPurge && !this.#transaction((store) => rewriteTexts(store.database))) return this.#failure
    const database = this.#store?.database
    if (database === undefined) return null
    try {
      database.exec('PRAGMA incremental_vacuum(4000)')
      if (!task.isPurge) return null
      const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
      return busy === 0 ? null : 'a reader holds the file; what was forgotten is gone from it with the next purge'
    } catch (error) {
      return wordsOf(error)
    }
  }

  #transaction(act: (store: LogStore) => void): boolean {
    try {
      this.#store ??= this.#open()
      this.#store.database.exec('BEGIN IMMEDIATE')
      act(this.#store)
      this.#store.database.exec('COMMIT')
      this.#failure = null
      return true
    } catch (error) {
      this.#recover(error)
      return false
    }
  }

  #open(): LogStore {
    const store = new LogStore(this.#file)
    store.kinds.name(this.#upstreams)
    return store
  }

  #recover(error: unknown): void {
    this.#failure = wordsOf(error)
    if (sqliteCode(error) === undefined && this.#store !== undefined) this.#drop()
    try {
      if (this.#store?.database.isTransaction === true) this.#store.database.exec('ROLLBACK')
      this.#store?.reload()
    } catch {
      this.#abandon()
    }
    if (!isBeyondRepair(error)) return
    this.#abandon()
    try {
      setAside(this.#file)
      this.#unwritten = new Map(this.#clients)
      this.#areClientsWritten = false
      this.#failure = `The query log could not be read (${wordsOf(error)}); it was set aside, and a new one begun`
    } catch (obstacle) {
      this.#failure = wordsOf(obstacle)
    }
  }

  /** An entry itself is at fault: those that were read do not come again. */
  #drop(): void {
    for (const ring of this.#rings) {
      ring.rewind()
      this.#dropped += ring.drain(() => undefined)
    }
  }

  #abandon(): void {
    try {
      this.#store?.close()
    } catch {
      // The connection is unusable in any case.
    }
    this.#store = undefined
  }
}

function writeClients({ database }: LogStore, clients: Iterable<LogClient>): void {
  const put = database.prepare('INSERT OR REPLACE INTO client VALUES (?, ?, ?, ?)')
  for (const { number, id, name, addresses } of clients) put.run(number, id, name, JSON.stringify(addresses))
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
