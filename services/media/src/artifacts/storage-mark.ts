import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '@hearth/runtime'

/** A file in the folder of the artifacts, and one in the data directory that says in which folder it was put. */
const markName = '.hearth-media'
const seenName = 'artifacts-seen'

/**
 * The mark of a folder that ARTIFACTS names: a mount point without its disk does not have it. A folder in the data directory goes
 * with that, and object storage is another thing, so those have none.
 */
export class StorageMark {
  readonly #folder: string | undefined
  readonly #seen: string

  constructor({ folder, dataDirectory }: { readonly folder: string | undefined; readonly dataDirectory: string }) {
    this.#folder = folder
    this.#seen = join(dataDirectory, seenName)
  }

  /** Marks the folder. A disk that takes nothing stays without. */
  async set(): Promise<void> {
    if (this.#folder === undefined) return
    try {
      if (!(await this.#isMarked())) await writeFile(join(this.#folder, markName), '', { mode: 0o600 })
      if (!(await this.#wasMarked())) await writeFileAtomic(this.#seen, this.#folder)
    } catch {
      // Tried again at the next look.
    }
  }

  /** Resolves to true when the folder was marked before, and is not now. */
  async isGone(): Promise<boolean> {
    return this.#folder !== undefined && (await this.#wasMarked()) && !(await this.#isMarked())
  }

  async #wasMarked(): Promise<boolean> {
    return (await readFile(this.#seen, 'utf8').catch(() => undefined)) === this.#folder
  }

  #isMarked(): Promise<boolean> {
    return access(join(this.#folder ?? '', markName)).then(
      () => true,
      () => false,
    )
  }
}
