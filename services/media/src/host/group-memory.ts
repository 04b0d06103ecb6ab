import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** Memory limit and use of a control group, bytes. */
export interface GroupMemory {
  readonly limit: number
  /** Without the file cache the kernel frees on demand. */
  readonly used: number
}

/** The text of a file of the system; undefined when it is not there. */
export type ReadSystemFile = (path: string) => string | undefined

/** Files of both generations of control groups. */
const generations = [
  { root: '/sys/fs/cgroup', limit: 'memory.max', used: 'memory.current', cache: 'inactive_file' },
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    used: 'memory.usage_in_bytes',
    cache: 'total_inactive_file',
  },
] as const

/** From here on a limit is none: the first generation writes a number near 2^63 for "unlimited". */
const noLimit = 2 ** 53

/**
 * The tightest limit on the memory of this process: its own control group's, or that of one around it. Undefined when there
 * is none.
 */
export function readGroupMemory(read: ReadSystemFile = readSystemFile): GroupMemory | undefined {
  const groups = read('/proc/self/cgroup') ?? ''
  const found = generations.flatMap((generation, index) => {
    const own =
      index === 0 ? /^0::(\/.*)$/m.exec(groups)?.[1] : /^\d+:(?:\w+,)*memory(?:,\w+)*:(\/.*)$/m.exec(groups)?.[1]
    return own === undefined ? [] : pathsUpFrom(own).flatMap((path) => readOne(generation, path, read) ?? [])
  })
  return found.sort((left, right) => left.limit - right.limit)[0]
}

function pathsUpFrom(path: string): string[] {
  return path === '/' ? ['/'] : [path, ...pathsUpFrom(posix.dirname(path))]
}

function readOne(
  generation: (typeof generations)[number],
  path: string,
  read: ReadSystemFile,
): GroupMemory | undefined {
  const file = (name: string) => read(posix.join(generation.root, path, name))
  const limit = numberIn(file(generation.limit))
  const used = numberIn(file(generation.used))
  if (limit === undefined || limit >= noLimit || used === undefined) return undefined
  const cache = numberIn(new RegExp(`^${generation.cache} (\\d+)$`, 'm').exec(file('memory.stat') ?? '')?.[1]) ?? 0
  return { limit, used: Math.max(0, used - cache) }
}

function numberIn(text: string | undefined): number | undefined {
  const number = /^\d+$/.exec(text?.trim() ?? '')?.[0]
  return number === undefined ? undefined : Number(number)
}

function readSystemFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
