import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { openDataDirectory, writeFileAtomic, type Clock } from '@hearth/runtime'
import { readPicture, type Picture } from '../pictures/picture.ts'

export interface PictureCacheDependencies {
  readonly folder: string
  readonly clock: Clock
  /** Bytes of all pictures together; 500 MB when left out. */
  readonly maxBytes?: number
}

/** Life of a picture: a week, in milliseconds. */
const life = 7 * 86_400_000
/** Age from which a half-written file counts as left by a crash, milliseconds. */
const strayAge = 3_600_000
const ending = '.picture'

/**
 * Pictures that were fetched before, in a folder that is made when it is missing. A file holds the bytes and nothing else:
 * their type is read from them, so that the two can never disagree.
 */
export class PictureCache {
  readonly #dependencies: PictureCacheDependencies
  readonly #maxBytes: number
  /** Bytes of all pictures; undefined until they were counted. */
  #total: number | undefined

  constructor(dependencies: PictureCacheDependencies) {
    openDataDirectory(dependencies.folder)
    this.#dependencies = dependencies
    this.#maxBytes = dependencies.maxBytes ?? 500_000_000
  }

  async has(key: string): Promise<boolean> {
    const facts = await stat(this.#pathOf(key)).catch(() => undefined)
    return facts?.isFile() === true && this.#ageOf(facts.mtimeMs) <= life
  }

  /** Undefined for one that is not there, too old, or not what it was when it was put there. */
  async find(key: string): Promise<Picture | undefined> {
    if (!(await this.has(key))) return undefined
    const bytes = await readFile(this.#pathOf(key)).catch(() => undefined)
    const facts = bytes === undefined ? undefined : readPicture(bytes)
    return bytes === undefined || facts === undefined ? undefined : { bytes, media: facts.media }
  }

  async put(key: string, { bytes }: Picture): Promise<void> {
    if (this.#total === undefined) await this.tidy()
    await writeFileAtomic(this.#pathOf(key), bytes)
    const timestamp = this.#dependencies.clock.now() / 1000
    await utimes(this.#pathOf(key), timestamp, timestamp)
    this.#total = (this.#total ?? 0) + bytes.length
    if (this.#total > this.#maxBytes) await this.tidy()
  }

  /** Removes what is too old, and the oldest of the rest while they are too many. */
  async tidy(): Promise<void> {
    const { folder } = this.#dependencies
    const files = (await Promise.all((await readdir(folder)).map((name) => this.#describe(name)))).sort(
      (left, right) => left.age - right.age,
    )
    this.#total = 0
    for (const { name, bytes, age } of files) {
      const maxAge = name.endsWith(ending) ? life : strayAge
      const isKept = age <= maxAge && this.#total + bytes <= this.#maxBytes
      if (isKept) this.#total += bytes
      else await rm(join(folder, name), { force: true })
    }
  }

  async #describe(name: string): Promise<{ name: string; bytes: number; age: number }> {
    const facts = await stat(join(this.#dependencies.folder, name)).catch(() => undefined)
    return { name, bytes: facts?.size ?? 0, age: this.#ageOf(facts?.mtimeMs ?? 0) }
  }

  #ageOf(modifiedAt: number): number {
    return this.#dependencies.clock.now() - modifiedAt
  }

  #pathOf(key: string): string {
    return join(this.#dependencies.folder, `${key}${ending}`)
  }
}
