import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { chmod, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { flushToDisk } from '@hearth/runtime'
import { ytDlpVersion } from './tool-pin.ts'

const strayAge = 3_600_000
const programName = 'yt-dlp'

/** The versions of yt-dlp that were fetched, side by side in a data directory. Only the owner can read them. */
export class VersionFolder {
  readonly #root: string

  constructor(dataDirectory: string) {
    this.#root = join(dataDirectory, 'tools/yt-dlp')
  }

  pathOf(version: string): string {
    return join(this.#root, version, programName)
  }

  /** Returns the path of another file in the folder. */
  fileOf(name: string): string {
    return join(this.#root, name)
  }

  has(version: string): boolean {
    return ytDlpVersion.test(version) && existsSync(this.pathOf(version))
  }

  /** Stages a program that `fill` writes: it is tried where it lies, and then kept or thrown away. */
  async stage<Facts>(fill: (file: string) => Promise<Facts>) {
    const folder = join(this.#root, `.incoming-${randomUUID()}`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const discard = () => rm(folder, { recursive: true, force: true })
    const file = join(folder, programName)
    try {
      const facts = await fill(file)
      await chmod(file, 0o700)
      await flushToDisk(file)
      /** Makes it the program of that version, at once and whole. */
      const keep = async (version: string): Promise<void> => {
        await rm(this.fileOf(version), { recursive: true, force: true })
        await rename(folder, this.fileOf(version))
        await flushToDisk(this.#root)
      }
      return { file, facts, keep, [Symbol.asyncDispose]: discard }
    } catch (error) {
      await discard()
      throw error
    }
  }

  /** Removes all versions but these, and what a crash left. */
  async keepOnly(versions: readonly string[]): Promise<void> {
    for (const entry of await readdir(this.#root).catch(() => [])) {
      const age = Date.now() - ((await stat(this.fileOf(entry)).catch(() => undefined))?.mtimeMs ?? 0)
      const isOld = ytDlpVersion.test(entry) ? !versions.includes(entry) : entry.startsWith('.') && age > strayAge
      if (isOld) await rm(this.fileOf(entry), { recursive: true, force: true })
    }
  }
}
