import { readFile } from 'node:fs/promises'

/** Memory of one process, MiB. */
export interface ProcessMemory {
  /** Everything of it in memory. */
  readonly rss: number
  /** The same, with pages that several processes share counted in equal parts. */
  readonly pss: number
  /** Pages that no other process has. */
  readonly private: number
}

/** Reads the memory of a process from `/proc`. Rejects when it is gone or belongs to another user. */
export async function readProcessMemory(pid: number): Promise<ProcessMemory> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const sizeOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1024
  return { rss: sizeOf('Rss'), pss: sizeOf('Pss'), private: sizeOf('Private_Clean') + sizeOf('Private_Dirty') }
}

/** Returns the processes that a process started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}
