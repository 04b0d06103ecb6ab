import { Worker } from 'node:worker_threads'
import type { PageRequest, QueryFilter } from './page-search.ts'
import type { Preview, PreviewRequest } from './rule-preview.ts'
import type { Period, Statistics } from './statistics.ts'

/** One query of the log. */
export interface LoggedQuery {
  /** Grows with each query. */
  readonly id: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly domain: string
  /** The peer's number; 0 for a client that is no peer. */
  readonly client: number
  /** The peer, in its last form when it is gone; null for a client that is none. */
  readonly peer: { readonly id: string; readonly name: string; readonly address: string | null } | null
  /** These are numbers as in `dns/policy/verdict.ts`. */
  readonly status: number
  readonly reason: number
  readonly source: number
  readonly traits: number
  readonly rcode: number
  readonly type: number
  readonly upstream: string | null
  readonly micros: number
}

/** Hits of a rule. */
export interface RuleHits {
  readonly rule: number
  readonly hits: number
  /** Milliseconds since the epoch. */
  readonly lastAt: number
}

/** Requests to the reader, with their answers. */
export interface Questions {
  list: [{ readonly filter: QueryFilter; readonly page: PageRequest }, { rows: LoggedQuery[]; total: number }]
  statistics: [Period, Statistics]
  hits: [null, RuleHits[]]
  /** Clients that have or had a name, id or address. */
  clients: [string, number[]]
  preview: [PreviewRequest, Preview]
}
export type QuestionKind = keyof Questions

export type ToReader = {
  [K in QuestionKind]: { readonly id: number; readonly kind: K; readonly question: Questions[K][0] }
}[QuestionKind]

/** `answer` is undefined when there is no log. */
export interface FromReader {
  readonly id: number
  readonly answer?: unknown
  readonly error?: string
}

/** Reason why a question about the log was not answered. */
export class QueryLogUnavailable extends Error {
  override readonly name = 'QueryLogUnavailable'
  readonly reason: 'busy' | 'slow' | 'failed' | 'closed'

  constructor(reason: QueryLogUnavailable['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** Milliseconds and questions. */
export interface ReadingLimits {
  /** The thread ends after so long without a question. */
  readonly idleMs: number
  readonly answerMs: number
  /** Maximum number of queued requests; more are refused. */
  readonly waiting: number
}

interface Waiting {
  readonly message: ToReader
  readonly settle: (answer: unknown) => void
  readonly reject: (error: QueryLogUnavailable) => void
}

/**
 * The thread that reads the log's file. It is started for the first question and ended when there were none for a while; one
 * that does not answer in time is ended, and the next question starts another.
 */
export class ReadingThread {
  readonly #file: string
  readonly #limits: ReadingLimits
  readonly #queue: Waiting[] = []
  #worker: Worker | undefined
  #current: Waiting | undefined
  #timer: NodeJS.Timeout | undefined
  #lastId = 0
  #isClosed = false

  constructor(file: string, limits: ReadingLimits) {
    this.#file = file
    this.#limits = limits
  }

  /** Rejects with `QueryLogUnavailable`. Undefined when there is no log. */
  request<K extends QuestionKind>(kind: K, question: Questions[K][0]): Promise<Questions[K][1] | undefined> {
    if (this.#isClosed) return Promise.reject(closed())
    if (this.#queue.length >= this.#limits.waiting) {
      return Promise.reject(new QueryLogUnavailable('busy', 'Too many questions to the query log at once'))
    }
    this.#lastId += 1
    const message = { id: this.#lastId, kind, question } as ToReader
    return new Promise((settle, reject) => {
      this.#queue.push({ message, settle: settle as (answer: unknown) => void, reject })
      if (this.#current === undefined) this.#next()
    })
  }

  /** Ends the thread; what waits is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#queue.splice(0)) reject(closed())
    this.#current?.reject(closed())
    this.#current = undefined
    await this.#stop()
  }

  #start(): Worker {
    const fresh = new Worker(new URL('./reader-thread.ts', import.meta.url), { workerData: { file: this.#file } })
    fresh.on('message', ({ id, answer, error }: FromReader) => {
      if (this.#worker !== fresh || this.#current?.message.id !== id) return
      const { settle, reject } = this.#current
      if (error === undefined) settle(answer)
      else reject(unreadable(error))
      this.#next()
    })
    // Without a listener an error would end the service; the exit follows it.
    fresh.on('error', (error) => this.#fail(fresh, String(error)))
    fresh.on('exit', () => this.#fail(fresh, 'its reader ended'))
    // It keeps no process alive; during a request, the timer does. Adding a listener refers to it again.
    fresh.unref()
    return fresh
  }

  #fail(worker: Worker, how: string): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#current?.reject(unreadable(how))
    this.#next()
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#timer)
    const running = this.#worker
    this.#worker = undefined
    await running?.terminate()
  }

  #next(): void {
    clearTimeout(this.#timer)
    this.#current = this.#queue.shift()
    const { idleMs, answerMs } = this.#limits
    if (this.#current === undefined) {
      this.#timer = setTimeout(() => void this.#stop(), idleMs).unref()
      return
    }
    this.#worker ??= this.#start()
    this.#worker.postMessage(this.#current.message, [])
    this.#timer = setTimeout(() => {
      const late = this.#current
      void this.#stop()
      late?.reject(new QueryLogUnavailable('slow', `The query log did not answer within ${answerMs} ms`))
      this.#next()
    }, answerMs)
  }
}

const closed = () => new QueryLogUnavailable('closed', 'The query log is closed')
const unreadable = (how: string) => new QueryLogUnavailable('failed', `The query log cannot be read: ${how}`)
