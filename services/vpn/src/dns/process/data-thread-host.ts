import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import type { DataNews, DataOrders, DataSetup, ListenerNote } from '../loops/orders.ts'
import {
  createSharedMemory,
  openSharedState,
  Shared,
  takeDescriptors,
  type SharedState,
} from '../loops/shared-state.ts'
import type { Libc } from '../sockets/libc.ts'

const watchMs = 200
const hangMs = 1000
const startMs = 5000
const healthyMs = 5000

/** What a data thread is started with. */
export interface DataThreadParts {
  readonly mode: DataSetup['mode']
  readonly orders: DataOrders
  readonly ring: SharedArrayBuffer
  /** To close what a thread that ended left open; undefined with `dgram`. */
  readonly libc: Libc | undefined
  readonly noted: (note: ListenerNote) => void
  /** Something an operator should know. */
  readonly warn: (message: string) => void
}

/** The data thread, whichever it is at the time. */
export interface DataThreadHost {
  readonly state: SharedState
  /** How often the thread was replaced. */
  readonly replacements: () => number
  /** Puts news in force before the next query. */
  tell(news: DataNews): void
  /** Resolves when the thread has taken all news in, or at the latest after a second. */
  settled(): Promise<void>
  /** Ends the thread where it stands; another takes its place. */
  replace(): void
  close(): Promise<void>
}

/**
 * Runs the data thread and watches it: when it ends, or its heartbeat stands still for a second, another takes its place, with
 * the same listeners, whose waiting queries it then answers.
 */
export function createDataThread(parts: DataThreadParts): DataThreadHost {
  const state = openSharedState(createSharedMemory())
  let { orders } = parts
  let thread = start()
  let isClosed = false
  let replacements = 0
  const watch = setInterval(look, watchMs)

  function start() {
    const { port1, port2 } = new MessageChannel()
    const { mode, ring } = parts
    const generation = Atomics.load(state.words, Shared.generation)
    const setup: DataSetup = { mode, orders, generation, ring, shared: state.memory }
    const worker = new Worker(new URL('../loops/data-thread.ts', import.meta.url), {
      workerData: { setup, port: port2 },
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    })
    const started = { worker, port: port1, startedAt: performance.now(), beat: 0, beatAt: performance.now() + startMs }
    port1.on('message', parts.noted)
    worker.on('error', (error: Error) => parts.warn(`the data thread failed: ${error.message}`))
    worker.on('exit', () => ended(started.startedAt, port1))
    return started
  }

  function ended(startedAt: number, port: MessagePort): void {
    port.close()
    for (const descriptor of takeDescriptors(state)) parts.libc?.call.close(descriptor)
    if (isClosed) return
    replacements += 1
    parts.warn('the data thread ended; another takes its place')
    const livedMs = performance.now() - startedAt
    const restart = () => {
      if (!isClosed) thread = start()
    }
    if (livedMs > healthyMs || replacements < 3) restart()
    else setTimeout(restart, 500)
  }

  let lookedAt = performance.now()
  function look(): void {
    const now = performance.now()
    const wasAsleep = now - lookedAt > 3 * watchMs
    lookedAt = now
    const beat = Atomics.load(state.words, Shared.heartbeat)
    // When this thread could not run either, the machine stood still, not the other thread.
    if (beat !== thread.beat || wasAsleep) {
      thread.beat = beat
      thread.beatAt = Math.max(now, wasAsleep ? thread.beatAt : now)
    } else if (now - thread.beatAt > hangMs) {
      thread.beatAt = now + startMs
      parts.warn('the data thread hangs')
      void thread.worker.terminate()
    }
  }

  function tell(news: DataNews): void {
    orders = { ...orders, ...news }
    thread.port.postMessage(news)
    Atomics.add(state.words, Shared.generation, 1)
  }

  async function settled(): Promise<void> {
    const wanted = Atomics.load(state.words, Shared.generation)
    const deadline = performance.now() + 1000
    for (;;) {
      const seen = Atomics.load(state.words, Shared.seen)
      if (((seen - wanted) | 0) >= 0 || performance.now() > deadline) return
      const waiting = Atomics.waitAsync(state.words, Shared.seen, seen, 200)
      await waiting.value
    }
  }

  return {
    state,
    replacements: () => replacements,
    tell,
    settled,
    replace: () => void thread.worker.terminate(),
    async close() {
      isClosed = true
      clearInterval(watch)
      tell({ stop: true })
      await settled()
      await thread.worker.terminate()
    },
  }
}
