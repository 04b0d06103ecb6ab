import { readdirSync, readFileSync } from 'node:fs'

/** What the system says of a process's main thread. */
export interface ProcessSample {
  /**
   * One letter: R runs or waits for a processor, S sleeps, D waits for a disk, T is stopped. A thread that sleeps may wait for
   * another one of the process, which waits for a processor: S therefore means that all of them sleep.
   */
  readonly state: string
  /** How long it ran since it was started, milliseconds. */
  readonly ranMs: number
  /** How long it waited for a processor, milliseconds; the wait that is under way is missing. */
  readonly waitedMs: number
}

/** Reads it from `/proc`; undefined where there is none, or no such process. */
export function sampleProcess(pid: number): ProcessSample | undefined {
  try {
    const own = stateOf(`/proc/${pid}/stat`)
    const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ').map(Number)
    const state = own === 'S' ? stateOfThreads(pid) : own
    return ran === undefined || waited === undefined ? undefined : { state, ranMs: ran / 1e6, waitedMs: waited / 1e6 }
  } catch {
    return undefined
  }
}

/** S when all threads sleep, otherwise the state of the first that does not. */
function stateOfThreads(pid: number): string {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.map((thread) => stateOf(`/proc/${pid}/task/${thread}/stat`)).find((state) => state !== 'S') ?? 'S'
}

/** The state in a file of `/proc`; of a thread that ended meanwhile, S. */
function stateOf(file: string): string {
  try {
    const stat = readFileSync(file, 'latin1')
    // The program's name comes before, in brackets, and may hold anything.
    return stat.charAt(stat.lastIndexOf(')') + 2)
  } catch {
    return 'S'
  }
}
