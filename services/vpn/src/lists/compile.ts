import { Worker } from 'node:worker_threads'
import type { ListReport } from '../dns/process/messages.ts'
import type { ResolverList } from '../dns/process/resolver-files.ts'

/** Result of a compile thread. */
export interface Compiled {
  /** A bundle; see `openBundle`. */
  readonly memory: SharedArrayBuffer
  readonly reports: readonly ListReport[]
  readonly durationMs: number
}

/** Input of the thread. */
export interface CompileOrder {
  readonly lists: readonly ResolverList[]
  readonly directory: string
}

/** Twelve million names take a tenth of this. */
const longestMs = 120_000

/**
 * Compiles lists in a thread of their own, which ends with its work. A list without a text counts as empty. Rejects when the
 * thread dies or is not done within two minutes; nothing is written anywhere.
 *
 * @param directory the folder with `lists/<id>.txt`
 */
export function startCompile(lists: readonly ResolverList[], directory: string): Promise<Compiled> {
  const { promise, resolve, reject } = Promise.withResolvers<Compiled>()
  const order: CompileOrder = { lists, directory }
  const worker = new Worker(new URL('compile-thread.ts', import.meta.url), {
    workerData: order,
    name: 'lists',
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  const timer = setTimeout(() => {
    reject(new Error('compiling the lists took too long'))
    void worker.terminate()
  }, longestMs)
  worker.once('message', (compiled: Compiled) => resolve(compiled))
  worker.once('error', reject)
  worker.once('exit', (code) => reject(new Error(`the thread that compiles lists ended with ${code}`)))
  return promise.finally(() => clearTimeout(timer))
}
