import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { setThreadPriority, ThreadPriority } from '../thread-priority.ts'
import { compileLists } from './compile-lists.ts'
import { type Compiled, type CompileInput, textPath } from './compile.ts'

/**
 * The thread `startCompile` runs: reads the texts, compiles them, hands the shared memory over and ends. Whatever else there is to
 * do goes before it.
 */
setThreadPriority(ThreadPriority.compiling)
const { lists, directory } = workerData as CompileInput
const begun = performance.now()

function readText(id: string): Uint8Array {
  try {
    return readFileSync(textPath(directory, id))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Uint8Array(0)
    throw error
  }
}

const { bundle, reports } = compileLists(lists, (list) => readText(list.id))
const compiled: Compiled = { memory: bundle.memory, reports, durationMs: performance.now() - begun }
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(compiled)
