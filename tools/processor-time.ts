import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Length of a clock tick in /proc, milliseconds. */
const tick = 10

/** Returns the processor time of this process and of the ended processes that it started, milliseconds; 0 where /proc is not there. */
export function processorTime(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // Behind the name of the program, which may hold spaces: user and system time, own and of children, are fields 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field) * tick, 0)
  } catch {
    return 0
  }
}

/** Says in a line each which folders' tests and which test files took the most processor time; nothing when none was measured. */
export function processorTimeLines(times: ReadonlyMap<string, number>): string[] {
  const folders = new Map<string, number>()
  for (const [file, milliseconds] of times) {
    const folder = `${dirname(file)}${file.endsWith('.browser.test.ts') ? ' in a browser' : ''}`
    folders.set(folder, (folders.get(folder) ?? 0) + milliseconds)
  }
  const total = [...times.values()].reduce((sum, milliseconds) => sum + milliseconds, 0)
  if (total === 0) return []
  return [`processor time of the tests ${seconds(total)}: ${largest(folders, 8)}`, `by files: ${largest(times, 16)}`]
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(0)} s`

function largest(times: ReadonlyMap<string, number>, count: number): string {
  const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, count)
  return sorted.map(([name, milliseconds]) => `${name} ${seconds(milliseconds)}`).join(', ')
}
