import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Processors this process may really use: its affinity, and the quota of its control group where there is one. */
export function effectiveProcessors(read = readQuota): number {
  return Math.max(0.5, Math.min(availableParallelism(), read() ?? Number.POSITIVE_INFINITY))
}

function readQuota(): number | undefined {
  try {
    const [quota = 'max', period = ''] = readFileSync('/sys/fs/cgroup/cpu.max', 'utf8').trim().split(' ')
    const processors = Number(quota) / Number(period)
    return Number.isFinite(processors) && processors > 0 ? processors : undefined
  } catch {
    return undefined
  }
}

/** Calculates how many jobs, conversions and fragments a host with this many processors works on at a time. */
export function sizesFor(processors: number): { workers: number; heavy: number; fragments: number } {
  const within = (least: number, value: number, most: number) => Math.min(most, Math.max(least, Math.ceil(value)))
  return {
    workers: within(1, 2 * processors, 8),
    heavy: within(1, processors, 2),
    fragments: within(2, 1.5 * processors, 8),
  }
}
