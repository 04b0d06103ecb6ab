import type { StorageMark } from './storage-mark.ts'

/** What is known of the storage: whether the files that are recorded are in it. */
export class StoragePresence {
  readonly #isThere: () => Promise<boolean>
  readonly #mark: Pick<StorageMark, 'set' | 'isGone'>
  readonly #onChange = new Set<(isMissing: boolean) => void>()
  #isMissing = false

  /** `isThere` finds out whether at least one of the recorded files is in the storage. */
  constructor(isThere: () => Promise<boolean>, mark: Pick<StorageMark, 'set' | 'isGone'>) {
    this.#isThere = isThere
    this.#mark = mark
  }

  /** True while none of the recorded files is in the storage: its disk is not mounted, or it is another folder or bucket. */
  get isMissing(): boolean {
    return this.#isMissing
  }

  /** Calls a listener with the state now, and whenever it changes. */
  follow(listener: (isMissing: boolean) => void): () => void {
    this.#onChange.add(listener)
    listener(this.#isMissing)
    return () => this.#onChange.delete(listener)
  }

  /** Looks for the storage now. Resolves to true when it is missing. */
  async look(): Promise<boolean> {
    this.note(!(await this.#isThere()))
    if (!this.#isMissing) await this.#mark.set()
    return this.#isMissing
  }

  /**
   * Resolves to true when the files are missing together with the disk they were on: what would be stored now would lie in the mount
   * point, and be hidden once the disk is back. Files that somebody deleted, or that a backup names, are missing without that.
   */
  async isGone(): Promise<boolean> {
    // Mostly the mark is there, and the files need no look.
    if (!(await this.#mark.isGone()) && !this.#isMissing) return false
    return (await this.look()) && (await this.#mark.isGone())
  }

  /** Notes what a look at the storage found. */
  note(isMissing: boolean): void {
    if (isMissing === this.#isMissing) return
    this.#isMissing = isMissing
    for (const listener of this.#onChange) listener(isMissing)
  }
}
