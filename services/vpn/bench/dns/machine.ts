import { readdirSync, readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'

const ticksPerSecond = 100

/** The machine in words: ratios differ between machines, so a table says on which one it was made. */
export function machineText(): string {
  const cores = cpus()
  const model = cores[0]?.model.trim() ?? 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cores.length} × ${model}, ${memory} GiB, Linux ${release()}, Node ${process.versions.node}`
}

/** A process with everything it started. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const parent = /^\d+$/.test(entry) ? parentOf(entry) : undefined
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  const all = [pid]
  for (const each of all) all.push(...(children.get(each) ?? []))
  return all
}

function parentOf(pid: string): number | undefined {
  const [, parent] = fieldsOf(pid)
  return parent === undefined ? undefined : Number(parent)
}

/** Fields of `/proc/PID/stat` from the state on; none when the process is gone. */
function fieldsOf(pid: string | number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return []
  }
}

/** The letter of a process' state; empty when it is gone. */
export const stateOf = (pid: number): string => fieldsOf(pid)[0] ?? ''

/** CPU seconds a process and everything it started have used. */
export function cpuSeconds(pid: number): number {
  const ticks = processTree(pid).map((each) => {
    const fields = fieldsOf(each)
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  })
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond
}

/** Memory of a process and everything it started, MiB: shared pages count in proportion (PSS). */
export function memoryMiB(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + pssOf(each), 0)
}

/** Memory of that one of its processes that is called so, MiB; of all of them when none is. */
export function memoryOfPart(pid: number, title: string): number {
  const part = findPart(pid, title)
  return part === undefined ? memoryMiB(pid) : pssOf(part)
}

/** Finds the process of a tree with this name. */
export const findPart = (pid: number, title: string): number | undefined =>
  processTree(pid).find((each) => commandOf(each).startsWith(title))

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}

function pssOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** CPU seconds the whole machine has worked, and those the machine around it took away. */
export function machineSeconds(): number {
  const [first = ''] = readFileSync('/proc/stat', 'latin1').split('\n')
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0, stolen = 0] = first
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + interrupts + soft + stolen) / ticksPerSecond
}
