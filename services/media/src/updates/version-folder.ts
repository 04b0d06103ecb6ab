import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { chmod, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ytDlpVersion } from './tool-pin.ts'

/** A program on its way: it is tried where it lies, and then kept or thrown away. */
export interface StagedProgram extends AsyncDisposable {
  readonly file: string
  /** Makes it the program of that version, at once and whole. */
  keep(version: string): Promise<void>
}

/** The versions of yt-dlp that were fetched, side by side. */
export interface VersionFolder {
  pathOf(version: string): string
  /** Path of another file in the folder. */
  fileOf(name: string): string
  has(version: string): boolean
  /** Makes room for a program, written by `fill`. */
  stage(fill: (file: string) => Promise<void>): Promise<StagedProgram>
  /** Removes all versions but these, and what a crash left. */
  keepOnly(versions: readonly string[]): Promise<void>
}

const strayAge = 3_600_000
const name = 'yt-dlp'

/** Where the versions are in a data directory. */
export const versionsIn = (dataDirectory: string): string => join(dataDirectory, 'tools/yt-dlp')

/** The folder of the versions, which is made with the first of them; for the owner alone, as everything in it. */
export function openVersionFolder(root: string): VersionFolder {
  const pathOf = (version: string) => join(root, version, name)
  return {
    pathOf,
    fileOf: (file) => join(root, file),
    has: (version) => ytDlpVersion.test(version) && existsSync(pathOf(version)),
    async stage(fill) {
      const folder = join(root, `.incoming-${randomUUID()}`)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const discard = () => rm(folder, { recursive: true, force: true })
      const file = join(folder, name)
      try {
        await fill(file)
        await chmod(file, 0o700)
        await flush(file)
      } catch (error) {
        await discard()
        throw error
      }
      return {
        file,
        async keep(version) {
          const target = join(root, version)
          await rm(target, { recursive: true, force: true })
          await rename(folder, target)
          await flush(root)
        },
        [Symbol.asyncDispose]: discard,
      }
    },
    async keepOnly(versions) {
      for (const entry of await readdir(root).catch(() => [])) {
        const age = Date.now() - ((await stat(join(root, entry)).catch(() => undefined))?.mtimeMs ?? 0)
        const isOld = ytDlpVersion.test(entry) ? !versions.includes(entry) : entry.startsWith('.') && age > strayAge
        if (isOld) await rm(join(root, entry), { recursive: true, force: true })
      }
    },
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
