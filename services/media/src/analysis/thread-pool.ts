import { Slots } from '../conversion/slots.ts'
import { AnalysisFailed, createAnalysisThread, type AnalysisThread } from './analysis-thread.ts'

/** Limits of work on a file. */
export interface WorkOptions {
  readonly signal: AbortSignal
  /** Most time from its turn to the answer; waiting for its turn does not count. */
  readonly timeoutMs: number
}

/** Creates `count` threads that work on a file each, while at most `maxWaiting` others wait. */
export function createThreadPool({ count, maxWaiting, script }: { count: number; maxWaiting: number; script: URL }) {
  const threads = Array.from({ length: count }, () => createAnalysisThread(script))
  const slots = new Slots(threads)
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  return {
    /** Does work with a thread, in its turn; rejects with an `AnalysisFailed`, or with the signal's reason when aborted. */
    async use<Result>(
      options: WorkOptions,
      work: (thread: AnalysisThread, signal: AbortSignal) => Promise<Result>,
    ): Promise<Result> {
      const outer = AbortSignal.any([options.signal, closing.signal])
      outer.throwIfAborted()
      if (slots.isFull && slots.waiting >= maxWaiting)
        throw new AnalysisFailed('busy', `more than ${maxWaiting} files are waiting for analysis`)
      const whole = slots.use(outer, async (thread) => {
        const tooLate = AbortSignal.timeout(options.timeoutMs)
        return work(thread, AbortSignal.any([outer, tooLate])).catch((error: unknown) => {
          if (!tooLate.aborted || outer.aborted) throw error
          throw new AnalysisFailed('timeout', `the analysis took longer than ${options.timeoutMs / 1000} s`)
        })
      })
      running.add(whole)
      try {
        return await whole
      } finally {
        running.delete(whole)
      }
    },
    isClosing: (): boolean => closing.signal.aborted,
    /** Stops what runs and refuses what waits; resolves when nothing runs any more. */
    async close(): Promise<void> {
      closing.abort(new AnalysisFailed('closed', 'the analysis is shutting down'))
      await Promise.allSettled(running)
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}
