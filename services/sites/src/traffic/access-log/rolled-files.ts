import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'

/** A file the log was rolled into. */
export interface RolledFile {
  /** The moment in its name; sorts by time. */
  readonly stamp: string
  readonly path: string
  readonly isPacked: boolean
}

/**
 * The files a log was rolled into, oldest first: `access-2026-11-21T19-01-18.366.log`, and `.gz` of the same once it was
 * packed. While both are there, the packed one is not finished.
 */
export async function rolledFiles(path: string): Promise<RolledFile[]> {
  const extension = extname(path)
  const prefix = `${basename(path, extension)}-`
  const found = new Map<string, RolledFile>()
  for (const name of await namesIn(dirname(path))) {
    const isPacked = name.endsWith(`${extension}.gz`)
    if (!name.startsWith(prefix) || !(isPacked || name.endsWith(extension))) continue
    const stamp = name.slice(prefix.length, -(extension.length + (isPacked ? 3 : 0)))
    if (!/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/.test(stamp)) continue
    if (!isPacked || !found.has(stamp)) found.set(stamp, { stamp, path: join(dirname(path), name), isPacked })
  }
  return [...found.values()].toSorted((one, other) => (one.stamp < other.stamp ? -1 : 1))
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
