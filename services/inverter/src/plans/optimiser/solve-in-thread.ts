import { Worker } from 'node:worker_threads'
import type { LinearModel } from './linear-model.ts'

/** Time for the thread, seconds: loading the solver, and the solver's own limit. */
const threadSeconds = 40

/**
 * Solves a model in its own thread, which ends with its work and gives its memory back. Returns the value of each column. Rejects
 * when there is no solution, the thread dies, or it takes too long.
 */
export function solveInThread(model: LinearModel): Promise<Float64Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Float64Array>()
  const worker = new Worker(new URL('solver-thread.ts', import.meta.url), {
    workerData: model,
    name: 'solver',
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
  })
  const timer = setTimeout(() => {
    reject(new Error(`the solver took more than ${threadSeconds} s`))
    void worker.terminate()
  }, threadSeconds * 1000)
  let values: Float64Array | undefined
  worker.once('message', (solved: Float64Array) => void (values = solved))
  worker.once('error', reject)
  // Only then its memory is free.
  worker.once('exit', (code) => {
    if (values === undefined) reject(new Error(`the thread of the solver ended with ${code}`))
    else resolve(values)
  })
  return promise.finally(() => clearTimeout(timer))
}
