import { existsSync, mkdirSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders in which jobs are worked on before their files are finished: one for each attempt. */
export interface WorkFolders {
  /** The folder of an attempt, with what an earlier one left there to go on from. */
  open(id: string, attempt: number): Promise<string>
  /** Removes what an attempt has left. */
  remove(id: string, attempt: number): Promise<void>
  /** Removes all folders of jobs that are not among those that go on. */
  sweep(isKept: (id: string) => boolean): Promise<number>
  /** Returns the path of a probe's result, which waits for the first attempt. */
  infoFile(id: string): string
}

export function createWorkFolders(root: string): WorkFolders {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const pathOf = (id: string, attempt: number) => join(root, `${id}.${attempt}`)
  const isFresh = new Set<string>()
  return {
    async open(id, attempt) {
      const path = pathOf(id, attempt)
      // The attempt before this one is over: it was given back, or its worker is gone.
      const earlier = pathOf(id, attempt - 1)
      if (existsSync(earlier) && !isFresh.has(earlier)) await rename(earlier, path)
      else await mkdir(path, { recursive: true, mode: 0o700 })
      isFresh.add(path)
      return path
    },
    async remove(id, attempt) {
      const path = pathOf(id, attempt)
      isFresh.delete(path)
      await rm(path, { recursive: true, force: true })
      await rm(join(root, `${id}.info.json`), { force: true })
    },
    async sweep(isKept) {
      const names = await readdir(root).catch(() => [])
      const gone = names.filter((name) => !isFresh.has(join(root, name)) && !isKept(name.slice(0, name.indexOf('.'))))
      for (const name of gone) await rm(join(root, name), { recursive: true, force: true })
      return gone.length
    },
    infoFile: (id) => join(root, `${id}.info.json`),
  }
}
