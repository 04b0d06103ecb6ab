import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { NodeQueryBatch } from '../query-log/node-batches.ts'
import type { WatchReport } from '../hints/watch-report.ts'
import type { ListsChange } from './lists-in-force.ts'
import type {
  ChangedFile,
  ClientsChange,
  ExplainRequest,
  Explanation,
  FromResolver,
  ResolverCall,
  ResolverCalls,
  ResolverState,
  ToResolver,
} from './messages.ts'
import { sampleProcess } from '../dns/loops/process-sample.ts'
import { UnwrittenClients } from './unwritten-clients.ts'
import { checkMs, Watchdog } from './watchdog.ts'

const answerMs = 15_000
/** Compiling lists, and purging the log. */
const longMs = 150_000
/** Writing queries of a node. */
const batchMs = 25_000
/** A starting resolver needs longer than a running one, which sends a heartbeat every half second. */
const starting = { asleepMs: answerMs, ranMs: answerMs, passedMs: answerMs }
const answering = { asleepMs: 2000, ranMs: 6000, passedMs: 6000 }
const stopMs = 6000
const minPauseMs = 10
const maxPauseMs = 5000
/** Minimum uptime after which a crash does not count as a failed start, milliseconds. */
const healthyMs = 10_000
/** Number of crashes by signals of a wrong system call after which batched system calls are no longer used. */
const maxCrashes = 3
const crashes = new Set(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGABRT'])

/** The log that the resolver's warnings go to. */
interface ResolverLog {
  warn(message: string): void
}

/** Maximum number of warnings that are kept until there is a log. */
const maxKept = 100

interface Waiting {
  readonly message: ResolverCall
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
}

/**
 * Supervises the resolver, which is its own process. It is restarted at once after a crash, with growing pauses after repeated
 * crashes, and killed when it hangs (`watchdog.ts`). Requests to a crashed one go to the next. It may run before the service
 * has a log.
 */
export class ResolverSupervisor {
  /** Number of restarts. */
  restarts = 0
  /** State of the resolver; undefined while it does not run. */
  state: ResolverState | undefined
  readonly #directory: string
  readonly #options: readonly string[]
  /** Warnings for a log that comes later. */
  readonly #kept: string[] = []
  #log: ResolverLog | undefined
  #answered: (count: number) => void = () => undefined
  #noticed: (report: WatchReport) => void = () => undefined
  readonly #waiting = new Map<number, Waiting>()
  readonly #unwritten = new UnwrittenClients()
  readonly #ready = Promise.withResolvers<void>()
  #nextId = 1
  #pauseMs = 0
  #crashes = 0
  #isClosed = false
  #child: ChildProcess | undefined
  #lastMessageAt: number | undefined

  /**
   * Starts it by the files in `DATA_DIR/dns`; without them it listens nowhere until it is notified of some. With `isListsFirst` it
   * does not listen either while none of the lists that they name is compiled; with `isJournal` it keeps queries in a journal.
   */
  constructor(directory: string, { isListsFirst = false, isJournal = false } = {}) {
    this.#directory = directory
    this.#options = [...(isListsFirst ? ['--lists-first'] : []), ...(isJournal ? ['--journal'] : [])]
    this.#ready.promise.catch(() => undefined)
    setTimeout(() => this.#ready.reject(new Error('the resolver did not start')), answerMs).unref()
    this.#start()
  }

  /** Sets the log for its warnings, earlier ones included, and the listener for the number of queries that went into the log. */
  attach(log: ResolverLog, answered: (count: number) => void): void {
    this.#log = log
    this.#answered = answered
    for (const message of this.#kept.splice(0)) log.warn(message)
  }

  /** Sets the listener for what the logged queries show. */
  onNoticed(listener: (report: WatchReport) => void): void {
    this.#noticed = listener
  }

  #warn(message: string): void {
    if (this.#log !== undefined) this.#log.warn(message)
    else if (this.#kept.length < maxKept) this.#kept.push(message)
  }

  /** Resolves when the resolver answers for the first time, or rejects when it does not within 15 s. */
  ready(): Promise<void> {
    return this.#ready.promise
  }

  /** Its process; undefined while there is none. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Milliseconds since its last heartbeat; 0 during the first start. */
  get quietMs(): number {
    return this.#lastMessageAt === undefined ? 0 : performance.now() - this.#lastMessageAt
  }

  /** Puts a file that was written in force for the next query; rejects with the reason. */
  changed(file: ChangedFile): Promise<void> {
    return this.#call('changed', [file])
  }

  /**
   * Puts changed clients in force for the next query; rejects with the reason. Their file may follow later: whichever resolver
   * is started until `beginClientsFile` says that it did is notified of them too.
   */
  async changedClients(change: ClientsChange): Promise<void> {
    this.#unwritten.note(change)
    await this.#call('changedClients', [change])
  }

  /** To be called before the content of the clients' file is gathered; the returned function once the file is in place. */
  beginClientsFile(): () => void {
    return this.#unwritten.begin()
  }

  /** Compiles the lists and puts them in force. */
  changedLists(): Promise<ListsChange> {
    return this.#call('changedLists', [], longMs)
  }

  /** Compiles the lists and puts them in force in one step with all other files. */
  changedTogether(): Promise<ListsChange> {
    return this.#call('changedTogether', [], longMs)
  }

  explain(question: ExplainRequest): Promise<Explanation> {
    return this.#call('explain', [question])
  }

  /** Queries an upstream, given as operators write it; milliseconds. Rejects with the reason. */
  testUpstream(upstream: string, zone?: string): Promise<number> {
    return this.#call('testUpstream', zone === undefined ? [upstream] : [upstream, zone])
  }

  /** Deletes the queries before a time, by one client or by all (null). */
  purgeLog(before: number, client: number | null): Promise<void> {
    return this.#call('purgeLog', [before, client], longMs)
  }

  /** Writes queries that a node answered into the log, each batch once. */
  takeQueries(batch: NodeQueryBatch): Promise<number> {
    return this.#call('takeQueries', [batch], batchMs)
  }

  clearCache(): Promise<void> {
    return this.#call('clearCache', [])
  }

  /** Lets the resolver write its log, and ends it. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.values()) reject(new Error('the service ends'))
    const child = this.#child
    if (child === undefined) return
    const exit = new Promise((resolve) => child.once('exit', resolve))
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
    post(child, { type: 'stop' })
    await exit
    clearTimeout(timer)
  }

  #start(): void {
    const child = startResolver(
      this.#directory,
      this.#crashes >= maxCrashes ? ['--cautious', ...this.#options] : this.#options,
    )
    this.#child = child
    const startedAt = performance.now()
    const watchdog = new Watchdog(starting, startedAt)
    const watch = setInterval(() => {
      const found = watchdog.check(child.pid === undefined ? undefined : sampleProcess(child.pid), performance.now())
      if (found === undefined) return
      clearInterval(watch)
      this.#warn(`the resolver ${found}; it is replaced`)
      child.kill('SIGKILL')
    }, checkMs)
    if (child.stderr !== null) {
      createInterface(child.stderr).on('line', (line) => this.#warn(line.slice(0, 500)))
    }
    child.on('message', (message: FromResolver) => {
      if (message.type === 'opening') return watchdog.reset(starting)
      watchdog.reset(answering)
      this.#lastMessageAt = performance.now()
      this.#onMessage(message)
    })
    child.on('error', (error) => this.#warn(`the resolver: ${error.message}`))
    child.on('exit', (code, signal) => {
      clearInterval(watch)
      this.#ended(signal ?? `code ${code}`, performance.now() - startedAt)
    })
    const unwritten = this.#unwritten.change()
    if (unwritten !== undefined) post(child, { type: 'call', id: 0, method: 'changedClients', args: [unwritten] })
    for (const { message } of this.#waiting.values()) post(child, message)
  }

  #ended(reason: string, livedMs: number): void {
    this.#child = undefined
    this.state = undefined
    if (this.#isClosed) return
    this.restarts += 1
    if (crashes.has(reason)) this.#crashes += 1
    const isFirst = livedMs > healthyMs || this.#pauseMs === 0
    this.#pauseMs = isFirst ? minPauseMs : Math.min(maxPauseMs, this.#pauseMs * 4)
    this.#warn(`the resolver ended (${reason}); it is started again`)
    setTimeout(() => {
      if (!this.#isClosed) this.#start()
    }, this.#pauseMs)
  }

  #onMessage(message: Exclude<FromResolver, { type: 'opening' }>): void {
    if (message.type === 'ready') return this.#ready.resolve()
    if (message.type === 'state') {
      this.state = message.state
      return
    }
    if (message.type === 'queries') return this.#answered(message.count)
    if (message.type === 'noticed') return this.#noticed(message.report)
    const call = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.type === 'failed') call?.reject(new Error(message.message))
    else call?.resolve(message.result as never)
  }

  async #call<Method extends keyof ResolverCalls>(
    method: Method,
    args: Parameters<ResolverCalls[Method]>,
    timeoutMs = answerMs,
  ): Promise<Awaited<ReturnType<ResolverCalls[Method]>>> {
    if (this.#isClosed) throw new Error('the service ends')
    const id = this.#nextId++
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<ResolverCalls[Method]>>>()
    const message: ResolverCall = { type: 'call', id, method, args }
    this.#waiting.set(id, { message, resolve, reject })
    const timer = setTimeout(() => reject(new Error('the resolver did not answer')), timeoutMs)
    if (this.#child !== undefined) post(this.#child, message)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(id)
    }
  }
}

/** Sends a message. To a process that just ended it fails, and the `exit` event follows. */
function post(child: ChildProcess, message: ToResolver): void {
  if (child.connected) child.send(message, () => undefined)
}

/** Variables of the service's environment that the resolver process gets: none of them is a secret. */
const handedOn = ['PATH', 'TZ', 'LANG', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const

/**
 * Starts the resolver process, with a channel to this one and its warnings as lines on `stderr`. What it loads
 * is kept compiled where this process keeps that: the next start takes a third of the time.
 */
function startResolver(directory: string, options: readonly string[]): ChildProcess {
  return fork(new URL('resolver.ts', import.meta.url), [directory, ...options], {
    // It answers from threads that allocate next to nothing: young generations of 1 MiB and one arena do.
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1'],
    env: {
      MALLOC_ARENA_MAX: '1',
      MALLOC_TRIM_THRESHOLD_: '131072',
      ...Object.fromEntries(handedOn.map((name) => [name, process.env[name]])),
      ...compileCache(),
    },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

/** It keeps what it loads compiled where this process does, if that does. */
function compileCache(): { readonly NODE_COMPILE_CACHE?: string } {
  // Node keeps a folder for each of its versions in the one it was given.
  const ofVersion = getCompileCacheDir()
  return ofVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofVersion) }
}
