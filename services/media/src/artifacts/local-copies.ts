import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DataInUse, lockDataDirectory, openDataDirectory, type DataDirectoryLock } from '@hearth/runtime'

/** One remote file in one of its states. */
export interface Original {
  /** Different for different contents. */
  readonly key: string
  /** The end of the copy's name, for tools that look at it. */
  readonly name: string
  readonly size: number
  /** Writes the content into a file that does not exist yet. */
  readonly fetch: (into: string) => Promise<void>
}

/** Age from which a folder without an owner counts as abandoned and not as being made, milliseconds. */
const makingTime = 60_000

/**
 * Keeps copies in a new folder below `directory`, the least recently used ones leaving when there are more than
 * `maxBytes`. What dead processes left there is removed.
 */
export async function openLocalCopies(directory: string, maxBytes: number): Promise<LocalCopies> {
  openDataDirectory(directory)
  await removeAbandoned(directory)
  const folder = await mkdtemp(join(directory, 'of-'))
  return new LocalCopies({ folder, lock: lockDataDirectory(folder), maxBytes })
}

interface Copy {
  readonly path: string
  readonly size: number
  readonly fetched: Promise<void>
  users: number
}

/** Copies of remote files for tools that need a path. */
export class LocalCopies {
  readonly #place: { readonly folder: string; readonly lock: DataDirectoryLock; readonly maxBytes: number }
  /** In the order of use. */
  readonly #copies = new Map<string, Copy>()

  constructor(place: { folder: string; lock: DataDirectoryLock; maxBytes: number }) {
    this.#place = place
  }

  /** Calls `work` with the path of a copy, which stays until it has ended. Several share one copy. */
  async use<T>(original: Original, work: (path: string) => Promise<T>): Promise<T> {
    const { key } = original
    const copy = this.#copies.get(key) ?? this.#begin(original)
    this.#copies.delete(key)
    this.#copies.set(key, copy)
    copy.users += 1
    try {
      await copy.fetched.catch((error: unknown) => {
        if (this.#copies.get(key) === copy) this.#copies.delete(key)
        throw error
      })
      return await work(copy.path)
    } finally {
      copy.users -= 1
      if (copy.users === 0 && this.#copies.get(key) !== copy) await rm(copy.path, { force: true })
      await this.#evict()
    }
  }

  #begin({ name, size, fetch }: Original): Copy {
    const path = join(this.#place.folder, `${randomUUID()}-${name}`)
    return { path, size, fetched: fetch(path), users: 0 }
  }

  async #evict(): Promise<void> {
    let total = this.#copies.values().reduce((sum, { size }) => sum + size, 0)
    for (const [key, copy] of this.#copies) {
      if (total <= this.#place.maxBytes) return
      if (copy.users > 0) continue
      this.#copies.delete(key)
      total -= copy.size
      await rm(copy.path, { force: true })
    }
  }

  /** Removes the copies whose keys begin so, those in use when they are not used any more. */
  async forget(keyStart: string): Promise<void> {
    for (const [key, copy] of this.#copies) {
      if (!key.startsWith(keyStart)) continue
      this.#copies.delete(key)
      if (copy.users === 0) await rm(copy.path, { force: true })
    }
  }

  /** Removes all copies; no caller may use them afterwards. */
  async close(): Promise<void> {
    this.#place.lock.release()
    await rm(this.#place.folder, { recursive: true, force: true })
  }
}

/** Removes folders whose lock is free: their owner is gone. */
async function removeAbandoned(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const folder = join(directory, name)
    const facts = await stat(folder).catch(() => undefined)
    if (facts?.isDirectory() !== true || Date.now() - facts.mtimeMs < makingTime) continue
    try {
      using _lock = lockDataDirectory(folder)
      await rm(folder, { recursive: true, force: true })
    } catch (error) {
      if (!(error instanceof DataInUse)) throw error
    }
  }
}
