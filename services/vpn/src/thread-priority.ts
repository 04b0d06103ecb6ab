import { setPriority } from 'node:os'

/**
 * Priorities of the resolver's threads, as the system counts them: the lower, the sooner. Answering goes first: on one core
 * rendering a page would delay DNS answers. Compiling lists comes last.
 */
export const ThreadPriority = { answering: -10, usual: 0, compiling: 10 } as const

/** Gives the thread that calls this a priority. Only root may go below 0, or below what it had; for others all stays as it is. */
export function setThreadPriority(priority: number): void {
  try {
    setPriority(0, priority)
  } catch {
    // Not allowed here.
  }
}
