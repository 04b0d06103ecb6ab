import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** CPU figures of a thread from the system; of a process, those of its main thread. */
export interface ProcessSample {
  /**
   * One letter: R runs or waits for a processor, S sleeps, D waits for a disk, T is stopped. A thread that sleeps may wait for
   * another one of the process, which waits for a processor: S therefore means that all of them sleep.
   */
  readonly state: string
  /** Time it ran since it was started, milliseconds. */
  readonly ranMs: number
  /** Time it waited for a processor, milliseconds, without the current wait. */
  readonly waitedMs: number
}

/** Reads it from `/proc`; undefined where there is none, or no such process. */
export const sampleProcess = (pid: number): ProcessSample | undefined => sampleThread(`${pid}`, pid)

/** Samples one thread of this process. The calling thread does not count among those that it may wait for. */
export const sampleOwnThread = (thread: number): ProcessSample | undefined =>
  sampleThread('self', thread, `${currentThread()}`)

/** The number the system knows this thread by; 0 where it does not say. */
export function currentThread(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return 0
  }
}

function sampleThread(process: string, thread: number, leftOut?: string): ProcessSample | undefined {
  const threads = `/proc/${process}/task`
  try {
    const own = stateOf(`${threads}/${thread}/stat`)
    const [ran, waited] = readFileSync(`${threads}/${thread}/schedstat`, 'latin1').split(' ').map(Number)
    const state = own === 'S' ? stateOfThreads(threads, leftOut) : own
    return ran === undefined || waited === undefined ? undefined : { state, ranMs: ran / 1e6, waitedMs: waited / 1e6 }
  } catch {
    return undefined
  }
}

/** S when all threads sleep, otherwise the state of the first that does not. */
function stateOfThreads(threads: string, leftOut: string | undefined): string {
  const others = readdirSync(threads).filter((thread) => thread !== leftOut)
  return others.map((thread) => stateOf(`${threads}/${thread}/stat`)).find((state) => state !== 'S') ?? 'S'
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
