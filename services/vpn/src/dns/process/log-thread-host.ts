import { Worker } from 'node:worker_threads'
import type { FromWriter, ToWriter, WriterStart } from '../../query-log/writer-messages.ts'

const restartMs = 1000
const purgeMs = 60_000
const stopMs = 3000

type Told = Extract<ToWriter, { type: 'settings' | 'clients' | 'upstreams' }>

/** The log thread, whichever it is at the time. */
export interface LogThreadHost {
  /** Hands on what the thread has to know; kept for one that takes its place. */
  tell(message: Told): void
  /** Forgets what was asked before a moment; rejects with the reason when that did not go. */
  purge(before: number, client: number | null): Promise<void>
  /** Entries that found no room or could not be written. */
  lost(): number
  /** Writes what is left and ends. */
  close(): Promise<void>
}

/** Who is told of the log. */
export interface LogEars {
  /** So many entries were written. */
  readonly wrote: (count: number) => void
  readonly warn: (message: string) => void
}

/** Runs the thread that writes the query log. When it dies another takes its place a second later; answering never waits. */
export function createLogThread(start: WriterStart, ears: LogEars): LogThreadHost {
  const told = new Map<string, Told>()
  const purges = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
  let retentionDays = start.retentionDays
  let lost = 0
  let nextPurge = 1
  let isClosed = false
  let worker = run()

  function run(): Worker {
    const started = new Worker(new URL('../../query-log/writer-thread.ts', import.meta.url), {
      workerData: { ...start, retentionDays },
      name: 'query log',
    })
    started.on('message', hear)
    started.on('error', (error: Error) => ears.warn(`the query log failed: ${error.message}`))
    started.on('exit', () => {
      for (const { reject } of purges.values()) reject(new Error('the query log failed'))
      if (isClosed) return
      setTimeout(() => {
        if (!isClosed) worker = run()
      }, restartMs)
    })
    for (const message of told.values()) started.postMessage(message)
    return started
  }

  function hear(message: FromWriter): void {
    if (message.type === 'wrote') {
      lost = message.lost
      ears.wrote(message.count)
    } else if (message.type === 'trouble') {
      if (message.message !== null) ears.warn(`the query log cannot be written: ${message.message}`)
    } else if (message.task === 'purge' && message.id !== undefined) {
      const waiting = purges.get(message.id)
      if (message.error === null) waiting?.resolve()
      else waiting?.reject(new Error(message.error))
    }
  }

  return {
    tell(message) {
      if (message.type === 'settings') ({ retentionDays } = message)
      told.set(message.type, message)
      worker.postMessage(message)
    },
    purge(before, client) {
      const id = nextPurge++
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(() => reject(new Error('the query log is busy')), purgeMs)
      purges.set(id, { resolve, reject })
      worker.postMessage({ type: 'purge', id, before, client } satisfies ToWriter)
      return promise.finally(() => {
        clearTimeout(timer)
        purges.delete(id)
      })
    },
    lost: () => lost,
    async close() {
      isClosed = true
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      const timer = setTimeout(() => void worker.terminate(), stopMs)
      worker.postMessage({ type: 'stop' } satisfies ToWriter)
      await ended
      clearTimeout(timer)
    },
  }
}
