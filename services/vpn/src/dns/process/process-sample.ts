import { readFileSync } from 'node:fs'

/** What the system says of a process's main thread. */
export interface ProcessSample {
  /** One letter: R runs or waits for a processor, S sleeps, D waits for a disk, T is stopped. */
  readonly state: string
  /** How long it ran since it was started, milliseconds. */
  readonly ranMs: number
  /** How long it waited for a processor, milliseconds; the wait that is under way is missing. */
  readonly waitedMs: number
}

/** Reads it from `/proc`; undefined where there is none, or no such process. */
export function sampleProcess(pid: number): ProcessSample | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ').map(Number)
    // The program's name comes before, in brackets, and may hold anything.
    const state = stat.charAt(stat.lastIndexOf(')') + 2)
    return ran === undefined || waited === undefined ? undefined : { state, ranMs: ran / 1e6, waitedMs: waited / 1e6 }
  } catch {
    return undefined
  }
}
