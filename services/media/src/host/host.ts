import { statfs } from 'node:fs/promises'
import { availableParallelism, cpus, freemem, totalmem, uptime } from 'node:os'
import { readGroupMemory, type GroupMemory } from './group-memory.ts'
import type { HostInfo } from './schema.ts'
import { readFileSync } from 'node:fs'

/** Sources of the figures; every member has a default. */
export interface HostSources {
  /** Milliseconds all processors together spent since the start, and how many of them idle. */
  readonly times?: () => { readonly all: number; readonly idle: number }
  readonly memory?: () => { total: number; available: number }
  readonly groupMemory?: () => GroupMemory | undefined
  /** Seconds since the start of the host. */
  readonly uptime?: () => number
}

/**
 * Creates the reader of the host's state: the file system of the data directory, the memory this process may really have, and how
 * busy the processors were since the reading before, or since this was made. What cannot be read is null.
 */
export function createHostReader(dataDirectory: string, sources: HostSources = {}): () => Promise<HostInfo> {
  const { times = readTimes, memory = readMemory, groupMemory = readGroupMemory } = sources
  let before = orNull(times)
  let percent = 0
  return async () => {
    const now = orNull(times)
    // Two readings at the same time have nothing between them; the last figure still holds.
    if (now !== null && before !== null && now.all > before.all)
      percent = percentOf(1 - (now.idle - before.idle) / (now.all - before.all))
    before = now
    return {
      storage: await readStorage(dataDirectory).catch(() => null),
      cpu: now === null ? null : { percent, cores: rounded(effectiveProcessors()) },
      memory: orNull(() => memoryOf(memory(), groupMemory())),
      uptime: orNull(() => uptimeOf((sources.uptime ?? uptime)())),
    }
  }
}

function readTimes(): { all: number; idle: number } {
  const each = cpus().map(({ times }) => times)
  if (each.length === 0) throw new Error('the system does not report its processors')
  const idle = each.reduce((sum, times) => sum + times.idle, 0)
  const all = each.reduce((sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle, 0)
  return { all, idle }
}

/** libuv reads `MemAvailable`, where there is one, as free. */
const readMemory = () => ({ total: totalmem(), available: freemem() })

function memoryOf({ total, available }: { total: number; available: number }, group: GroupMemory | undefined) {
  const isLimited = group !== undefined && group.limit < total
  const whole = isLimited ? group.limit : total
  // A group may be allowed more than the host has left.
  const left = Math.min(available, isLimited ? Math.max(0, group.limit - group.used) : total)
  const used = whole - left
  return { total: whole, used, available: left, percent: percentOf(used / whole) }
}

/** Free is what this process may still write; what is kept for the administrator counts as neither free nor used. */
async function readStorage(folder: string): Promise<NonNullable<HostInfo['storage']>> {
  const { blocks, bfree, bavail, bsize } = await statfs(folder)
  const used = (blocks - bfree) * bsize
  const free = bavail * bsize
  return { total: blocks * bsize, used, free, percent: percentOf(used / Math.max(1, used + free)) }
}

function uptimeOf(seconds: number): NonNullable<HostInfo['uptime']> {
  const whole = Math.floor(seconds)
  const minutes = Math.floor(whole / 60)
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  // Two units are enough: days and hours, hours and minutes.
  const shown = first === -1 ? parts.slice(2) : parts.slice(first, first + 2)
  return { seconds: whole, text: shown.map(([count, unit]) => `${count} ${unit}`).join(' ') }
}

const percentOf = (part: number): number => rounded(Math.min(1, Math.max(0, part)) * 100)
const rounded = (value: number): number => Math.round(value * 10) / 10

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** Processors this process may really use: its affinity, and the quota of its control group where there is one. */
export function effectiveProcessors(): number {
  return Math.max(0.5, Math.min(availableParallelism(), readQuota() ?? Number.POSITIVE_INFINITY))
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
  const within = (min: number, value: number, max: number) => Math.min(max, Math.max(min, Math.ceil(value)))
  return {
    workers: within(1, 2 * processors, 8),
    heavy: within(1, processors, 2),
    fragments: within(2, 1.5 * processors, 8),
  }
}
