import { readdir, readFile } from 'node:fs/promises'

/** Resources used by the processes of one group together. */
export interface GroupUse {
  readonly processes: number
  /** Resident memory, bytes; pages that are shared count for each. */
  readonly memory: number
}

const pageSize = 4096

/** Adds up a process group from `/proc`; undefined where there is none, or no process of the group is left. */
export async function readGroupUse(group: number): Promise<GroupUse | undefined> {
  const names = await readdir('/proc').catch(() => [])
  let processes = 0
  let memory = 0
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '')
    // The name of the program is in brackets and may hold anything; the fields begin behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(fields[2]) !== group || fields[0] === 'Z') continue
    processes += 1
    memory += Number(fields[21] ?? 0) * pageSize
  }
  return processes === 0 ? undefined : { processes, memory }
}

/** Sends SIGTERM to a group, and SIGKILL after `delay` milliseconds. Returns a function that cancels the SIGKILL. */
export function endGroup(group: number, delay: number): () => void {
  signalGroup(group, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(group, 'SIGKILL'), delay)
  return () => clearTimeout(timer)
}

/** Sends a signal to every process of a group; one that is gone is no error. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
