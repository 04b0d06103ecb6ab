import { Worker } from 'node:worker_threads'
import type { TaskKind, ThreadAnswer, ThreadResults, ThreadTasks } from './worker.ts'

/** Reason why an analysis failed: too many wait; too slow; ffmpeg or the file system could not read it; the thread died; shut down. */
export type AnalysisFailureReason = 'busy' | 'timeout' | 'unreadable' | 'crashed' | 'closed'

/** A failed analysis. The message says what went wrong, without paths, and may be shown. */
export class AnalysisFailed extends Error {
  override readonly name = 'AnalysisFailed'
  readonly problem: AnalysisFailureReason

  constructor(problem: AnalysisFailureReason, message: string) {
    super(message)
    this.problem = problem
  }
}

/** A thread for one task at a time. It is started when first needed, and anew after it was stopped or died. */
export type AnalysisThread = ReturnType<typeof createAnalysisThread>

/** Heap of a thread, MiB; the samples lie outside of it. */
const heapLimit = 256

/** Creates a thread that runs the file at `script`. While it has nothing to do it keeps no process alive. */
export function createAnalysisThread(script: URL) {
  let worker: Worker | undefined

  function start(): Worker {
    const fresh = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: heapLimit } })
    fresh.unref()
    fresh.once('exit', () => (worker = worker === fresh ? undefined : worker))
    // Without a listener an error between two tasks would end the service; the exit follows it.
    fresh.on('error', () => undefined)
    return fresh
  }

  async function stop(): Promise<void> {
    const running = worker
    worker = undefined
    await running?.terminate()
  }

  /** Runs a task. Rejects with an `AnalysisFailed`, or with the signal's reason when aborted; the thread is gone then. */
  async function run<Kind extends TaskKind>(
    kind: Kind,
    task: ThreadTasks[Kind],
    signal: AbortSignal,
  ): Promise<ThreadResults[Kind]> {
    signal.throwIfAborted()
    worker ??= start()
    const answer = await post<Kind>(worker, { kind, ...task }, signal).catch(async (error: unknown) => {
      await stop()
      throw error
    })
    if ('failure' in answer) throw new AnalysisFailed('unreadable', `the analysis failed: ${answer.failure}`)
    return answer.result
  }

  return { run, close: stop }
}

/** The samples are handed over, not copied. */
function post<Kind extends TaskKind>(
  worker: Worker,
  task: ThreadTasks[Kind],
  signal: AbortSignal,
): Promise<ThreadAnswer<Kind>> {
  return new Promise((settle, reject) => {
    const over = new AbortController()
    const finish = (act: () => void) => {
      over.abort()
      worker.off('message', onMessage).off('error', onError).off('exit', onExit).unref()
      act()
    }
    const onMessage = (answer: ThreadAnswer<Kind>) => finish(() => settle(answer))
    const onError = (error: Error) => finish(() => reject(crash(error.message)))
    const onExit = (code: number) => finish(() => reject(crash(`it ended with ${code}`)))
    worker.on('message', onMessage).on('error', onError).on('exit', onExit).ref()
    signal.addEventListener('abort', () => finish(() => reject(signal.reason as Error)), { signal: over.signal })
    worker.postMessage(task, buffersOf(task))
  })
}

/** The memory of the samples in a task; of onsets nothing is handed over. */
function buffersOf(task: ThreadTasks[TaskKind]): ArrayBuffer[] {
  const arrays = 'pieces' in task ? [task.pieces.main, ...task.pieces.probes] : 'samples' in task ? [task.samples] : []
  return [...new Set(arrays.map((array) => array.buffer as ArrayBuffer))]
}

function crash(how: string): AnalysisFailed {
  return new AnalysisFailed('crashed', `the analysis thread died: ${how}`)
}
