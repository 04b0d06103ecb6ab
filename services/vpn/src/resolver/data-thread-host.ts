import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import {
  withUpdate,
  type DataUpdate,
  type DataConfig,
  type DataSetup,
  type ListenerNote,
} from '../dns/loops/data-config.ts'
import {
  createSharedMemory,
  openSharedState,
  Shared,
  takeDescriptors,
  type SharedState,
} from '../dns/loops/shared-state.ts'
import type { Libc } from '../dns/sockets/libc.ts'
import { sampleOwnThread } from '../dns/loops/process-sample.ts'
import { Watchdog, type WatchdogLimits } from './watchdog.ts'

const watchMs = 200
const limitsOf = (ms: number): WatchdogLimits => ({ asleepMs: ms, ranMs: ms, passedMs: ms })
const beating = limitsOf(1000)
/** A thread that starts has no heartbeat yet. */
const starting = limitsOf(5000)
const healthyMs = 5000
const pauseMs = 500

/** Dependencies of `DataThreadHost`. */
export interface DataThreadDependencies {
  readonly mode: DataSetup['mode']
  readonly config: DataConfig
  readonly ring: SharedArrayBuffer
  /** Closes descriptors that an ended thread left open; undefined with `dgram`. */
  readonly libc: Libc | undefined
  readonly onNote: (note: ListenerNote) => void
  /** The thread's file; another one for tests. */
  readonly entry?: URL
  /** Called with a warning for the operator. */
  readonly warn: (message: string) => void
}

interface Running {
  readonly worker: Worker
  readonly port: MessagePort
}

/**
 * The data thread, whichever it is at the time. It is watched: when it ends, or its heartbeat stands still for a second of its
 * own time, another takes its place, with the same listeners, whose waiting queries it then answers.
 */
export class DataThreadHost {
  readonly state: SharedState = openSharedState(createSharedMemory())
  /** Number of times the thread was replaced. */
  replacements = 0
  readonly #dependencies: DataThreadDependencies
  readonly #watch: NodeJS.Timeout
  #config: DataConfig
  #thread: Running
  #isClosed = false
  #beat = 0
  #watchdog = new Watchdog(starting, performance.now())

  constructor(dependencies: DataThreadDependencies) {
    this.#dependencies = dependencies
    this.#config = dependencies.config
    this.#thread = this.#start()
    this.#watch = setInterval(() => this.#check(), watchMs)
  }

  /** Puts updates in force before the next query. */
  update(update: DataUpdate): void {
    this.#config = withUpdate(this.#config, update)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
    this.#thread.port.postMessage(update)
    Atomics.add(this.state.words, Shared.generation, 1)
  }

  /** Number of updates sent to the thread, and of those that it has taken. Both wrap at 32 bits. */
  get notified(): number {
    return Atomics.load(this.state.words, Shared.generation)
  }

  get seen(): number {
    return Atomics.load(this.state.words, Shared.seen)
  }

  /** Resolves when the thread has taken all updates in, or at the latest after a second. */
  async settled(): Promise<void> {
    const { words } = this.state
    const wanted = Atomics.load(words, Shared.generation)
    const deadline = performance.now() + 1000
    for (;;) {
      const seen = Atomics.load(words, Shared.seen)
      if (((seen - wanted) | 0) >= 0 || performance.now() > deadline) return
      await Atomics.waitAsync(words, Shared.seen, seen, 200).value
    }
  }

  /** Terminates the thread; another one replaces it. */
  replace(): void {
    void this.#thread.worker.terminate()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#watch)
    this.update({ stop: true })
    await this.settled()
    await this.#thread.worker.terminate()
  }

  #start(): Running {
    const { port1, port2 } = new MessageChannel()
    const {
      mode,
      ring,
      onNote,
      warn,
      entry = new URL('../dns/loops/data-thread.ts', import.meta.url),
    } = this.#dependencies
    const generation = Atomics.load(this.state.words, Shared.generation)
    const setup: DataSetup = { mode, config: this.#config, generation, ring, shared: this.state.memory }
    const worker = new Worker(entry, {
      workerData: { setup, port: port2 },
      transferList: [port2],
      // It allocates nothing while it answers. A limit of its old generation would have it collected twice while it starts.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
      name: 'data',
    })
    const startedAt = performance.now()
    Atomics.store(this.state.words, Shared.thread, 0)
    this.#watchdog = new Watchdog(starting, startedAt)
    port1.on('message', onNote)
    worker.on('error', (error: Error) => warn(`the data thread failed: ${error.message}`))
    worker.on('exit', () => this.#ended(startedAt, port1))
    return { worker, port: port1 }
  }

  #ended(startedAt: number, port: MessagePort): void {
    port.close()
    for (const descriptor of takeDescriptors(this.state)) this.#dependencies.libc?.call.close(descriptor)
    if (this.#isClosed) return
    this.replacements += 1
    this.#dependencies.warn('the data thread ended; another takes its place')
    const restart = () => {
      if (!this.#isClosed) this.#thread = this.#start()
    }
    if (performance.now() - startedAt > healthyMs || this.replacements < 3) restart()
    else setTimeout(restart, pauseMs)
  }

  #check(): void {
    const { words } = this.state
    const now = performance.now()
    const beat = Atomics.load(words, Shared.heartbeat)
    if (beat !== this.#beat) {
      this.#beat = beat
      this.#watchdog = new Watchdog(beating, now)
      return
    }
    const thread = Atomics.load(words, Shared.thread)
    if (this.#watchdog.check(thread === 0 ? undefined : sampleOwnThread(thread), now) === undefined) return
    this.#watchdog = new Watchdog(starting, now)
    this.#dependencies.warn('the data thread hangs')
    this.replace()
  }
}
