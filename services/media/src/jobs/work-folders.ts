import { existsSync, mkdirSync } from 'node:fs'
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders whose jobs are read at a time. */
const sweptAtOnce = 100

/** Temporary folders of jobs below `root`: one for each attempt. */
export class WorkFolders {
  readonly #root: string
  /** Folders that this process opened. */
  readonly #open = new Set<string>()

  constructor(root: string) {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    this.#root = root
  }

  /** Opens the folder of an attempt, with the remains of an earlier one to continue from. */
  async open(id: string, attempt: number): Promise<string> {
    const path = this.#pathOf(id, attempt)
    // The attempt before this one is over: it was handed back, or its worker is gone.
    const earlier = this.#pathOf(id, attempt - 1)
    if (existsSync(earlier) && !this.#open.has(earlier)) await rename(earlier, path)
    else await mkdir(path, { recursive: true, mode: 0o700 })
    this.#open.add(path)
    return path
  }

  /** Removes the folder of an attempt. */
  async remove(id: string, attempt: number): Promise<void> {
    const path = this.#pathOf(id, attempt)
    this.#open.delete(path)
    await rm(path, { recursive: true, force: true })
    await rm(this.infoFile(id), { force: true })
  }

  /** Removes the folders of all jobs but those that are kept; `findKept` is asked once a folder is there, and for a part at a time. */
  async sweep(findKept: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void> {
    const names = await readdir(this.#root).catch(() => [])
    for (let at = 0; at < names.length; at += sweptAtOnce) {
      const part = names.slice(at, at + sweptAtOnce).map((name) => ({ name, id: name.slice(0, name.indexOf('.')) }))
      const kept = await findKept([...new Set(part.map(({ id }) => id))])
      for (const { name, id } of part) {
        const path = join(this.#root, name)
        if (!this.#open.has(path) && !kept.has(id)) await rm(path, { recursive: true, force: true })
      }
    }
  }

  /** Returns the bytes of all that is in the folders. */
  async bytes(): Promise<number> {
    const entries = await readdir(this.#root, { recursive: true, withFileTypes: true }).catch(() => [])
    const sizes = entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await lstat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0)
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }

  /** Returns the path of a probe's result, which the first attempt uses. */
  infoFile(id: string): string {
    return join(this.#root, `${id}.info.json`)
  }

  #pathOf(id: string, attempt: number): string {
    return join(this.#root, `${id}.${attempt}`)
  }
}
