import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { hasEntries } from '../dns/log-ring.ts'
import type { ResolverSettings } from '../dns/resolver-files.ts'
import type { NodeQueryBatch } from '../query-log/node-batches.ts'
import type { FromWriter, LogClient, ToWriter, WriterStart } from '../query-log/writer-messages.ts'
import type { WatchReport } from '../hints/watch-report.ts'
import type { ClientsChange } from './messages.ts'

const restartMs = 1000
const lookMs = 100
const purgeMs = 60_000
const batchMs = 20_000
const stopMs = 3000

type KeptMessage = Extract<ToWriter, { type: 'settings' | 'clients' | 'upstreams' }>

/** The settings that the thread goes by. */
export const logSettings = ({ logRetentionDays: retentionDays, watched }: ResolverSettings) => ({
  retentionDays,
  watched,
})

/** Callbacks of the log. */
export interface LogListeners {
  /** A journal is written in place of the log. */
  readonly isJournal?: boolean | undefined
  /** Called with the number of entries written. */
  readonly onWritten: (count: number) => void
  /** Called with what the written queries show. */
  readonly onNoticed?: ((report: WatchReport) => void) | undefined
  readonly warn: (message: string) => void
}

/**
 * The thread that writes the query log, whichever it is at the time. When it dies another takes its place a second later;
 * answering never waits for it.
 */
export class LogThreadHost {
  /** Entries that found no room or could not be written. */
  lost = 0
  readonly #start: WriterStart
  readonly #listeners: LogListeners
  readonly #kept = new Map<string, Exclude<KeptMessage, { type: 'clients' }>>()
  #clients: Map<number, LogClient> | undefined
  readonly #tasks = new Map<number, PromiseWithResolvers<number>>()
  #retentionDays: number
  #watched: WriterStart['watched']
  #upstreams: readonly string[] = []
  #nextTask = 1
  #isClosed = false
  #worker: Worker | undefined
  #look: NodeJS.Timeout | undefined

  constructor(start: WriterStart, listeners: LogListeners) {
    this.#start = start
    this.#listeners = listeners
    this.#retentionDays = start.retentionDays
    this.#watched = start.watched
  }

  /**
   * Starts the thread once an entry waits in the rings, and at once when there is a log, whose old entries have to go. A thread
   * without work would keep 9 MiB.
   */
  startWhenNeeded(): void {
    if (this.#isClosed) return
    if (existsSync(this.#start.file)) return this.#startNow()
    this.#look = setInterval(() => {
      if (this.#start.rings.some(hasEntries)) this.#startNow()
    }, lookMs)
  }

  #startNow(): void {
    clearInterval(this.#look)
    if (!this.#isClosed) this.#worker ??= this.#run()
  }

  /** Hands on what the thread has to know; kept for one that takes its place. */
  send(message: KeptMessage): void {
    if (message.type === 'settings') {
      this.#retentionDays = message.retentionDays
      this.#watched = message.watched
    }
    if (message.type === 'upstreams') this.#upstreams = message.labels
    if (message.type === 'clients') this.#clients = new Map(message.clients.map((client) => [client.number, client]))
    else this.#kept.set(message.type, message)
    post(this.#worker, message)
  }

  /** Hands on which peers changed. */
  changeClients({ set, removed }: ClientsChange): void {
    this.#clients ??= new Map()
    for (const number of removed) this.#clients.delete(number)
    for (const client of set) this.#clients.set(client.number, client)
    post(this.#worker, { type: 'clients-changed', set, removed })
  }

  /** Deletes the queries before a time; rejects with the reason when that did not go. */
  async purge(before: number, client: number | null): Promise<void> {
    await this.#task(purgeMs, (id) => ({ type: 'purge', id, before, client }))
  }

  /**
   * Writes queries that a node answered, each batch once. Resolves with the number of the node's last batch in the log; rejects with the
   * reason when that did not go.
   */
  takeBatch(batch: NodeQueryBatch): Promise<number> {
    return this.#task(batchMs, (id) => ({ type: 'batch', id, batch }))
  }

  /** Writes what is left and ends. */
  async close(): Promise<void> {
    if (this.#start.rings.some(hasEntries)) this.#startNow()
    clearInterval(this.#look)
    this.#isClosed = true
    const worker = this.#worker
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    const timer = setTimeout(() => void worker.terminate(), stopMs)
    post(worker, { type: 'stop' })
    await ended
    clearTimeout(timer)
  }

  /** Has the thread do something, and waits until it says that it is done. */
  async #task(milliseconds: number, messageOf: (id: number) => ToWriter): Promise<number> {
    if (this.#isClosed) throw new Error('the query log is closed')
    this.#startNow()
    const id = this.#nextTask++
    const task = Promise.withResolvers<number>()
    const timer = setTimeout(() => task.reject(new Error('the query log is busy')), milliseconds)
    this.#tasks.set(id, task)
    post(this.#worker, messageOf(id))
    try {
      return await task.promise
    } finally {
      clearTimeout(timer)
      this.#tasks.delete(id)
    }
  }

  #run(): Worker {
    // Each is named where it stands, so that a build finds both.
    const entry =
      this.#listeners.isJournal === true
        ? new URL('../query-log/journal-thread.ts', import.meta.url)
        : new URL('../query-log/writer-thread.ts', import.meta.url)
    const worker = new Worker(entry, {
      workerData: {
        ...this.#start,
        retentionDays: this.#retentionDays,
        watched: this.#watched,
        upstreams: this.#upstreams,
      },
      name: 'query log',
    })
    worker.on('message', (message: FromWriter) => this.#onMessage(message))
    worker.on('error', (error: Error) => this.#listeners.warn(`the query log failed: ${error.message}`))
    worker.on('exit', () => this.#ended())
    for (const message of this.#kept.values()) post(worker, message)
    if (this.#clients !== undefined) post(worker, { type: 'clients', clients: [...this.#clients.values()] })
    return worker
  }

  #ended(): void {
    for (const { reject } of this.#tasks.values()) reject(new Error('the query log failed'))
    this.#worker = undefined
    if (!this.#isClosed) setTimeout(() => this.#startNow(), restartMs)
  }

  #onMessage(message: FromWriter): void {
    if (message.type === 'wrote') {
      this.lost = message.lost
      this.#listeners.onWritten(message.count)
    } else if (message.type === 'noticed') {
      this.#listeners.onNoticed?.(message.report)
    } else if (message.type === 'failure') {
      if (message.message !== null) this.#listeners.warn(`the query log cannot be written: ${message.message}`)
    } else if (message.task !== 'stop' && message.id !== undefined) {
      const task = this.#tasks.get(message.id)
      if (message.error === null) task?.resolve(message.task === 'batch' ? message.last : 0)
      else task?.reject(new Error(message.error))
    }
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
const post = (worker: Worker | undefined, message: ToWriter): void => worker?.postMessage(message)
