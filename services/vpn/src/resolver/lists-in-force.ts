import { join } from 'node:path'
import { isBundleOf, readBundleFile, writeBundleFile } from '../lists/bundle-file.ts'
import { startCompile } from '../lists/compile.ts'
import { emptyBundle, openBundle, type ListBundle } from '../dns/policy/list-bundle.ts'
import type { ListReport } from '../lists/line-count.ts'
import { resolverFile, type ResolverList } from '../dns/resolver-files.ts'

/** Outcome of a change of the lists. */
export interface ListsChange {
  readonly reports: readonly ListReport[]
  readonly names: number
  readonly durationMs: number
}

/**
 * The compiled lists, read from disk to answer at once, also when they are not the newest. Compiling runs in its own thread, one
 * change at a time.
 */
export class ListsInForce {
  readonly #directory: string
  readonly #path: string
  readonly #warn: (message: string) => void
  readonly #prepare: (memory: SharedArrayBuffer) => void
  #bundle: ListBundle
  #last: Promise<unknown> = Promise.resolve()
  #keeping: Promise<void> = Promise.resolve()

  /** `prepare` is called with the memory of each bundle before it is in force. */
  constructor(
    directory: string,
    { warn, prepare }: { warn: (message: string) => void; prepare: (memory: SharedArrayBuffer) => void },
  ) {
    this.#directory = directory
    this.#path = join(directory, resolverFile.bundle)
    this.#warn = warn
    this.#prepare = prepare
    this.#bundle = readBundleFile(this.#path) ?? emptyBundle()
    prepare(this.#bundle.memory)
  }

  bundle(): ListBundle {
    return this.#bundle
  }

  /** True when lists are wanted and none is in force. */
  areMissing(lists: readonly ResolverList[]): boolean {
    return lists.length > 0 && this.#bundle.lists.length === 0
  }

  /** Returns true if the bundle is not of these lists, or nothing is known of how they were compiled. */
  isStale(lists: readonly ResolverList[]): boolean {
    return !isBundleOf(this.#bundle, lists)
  }

  /**
   * Compiles these lists, waits for what else the change needs, then puts them in force by `swap`. Rejects, and leaves all as it is,
   * when one of the first two fails.
   */
  compile(lists: readonly ResolverList[], swap: () => void, before?: () => Promise<void>): Promise<ListsChange> {
    const done = this.#last.then(() => this.#compile(lists, swap, before))
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Resolves when the bundle in force is on disk, or cannot be written. Does not wait for lists that are being compiled. */
  kept(): Promise<void> {
    return this.#keeping
  }

  async #compile(lists: readonly ResolverList[], swap: () => void, before?: () => Promise<void>): Promise<ListsChange> {
    const compiled = await startCompile(lists, this.#directory)
    const bundle = openBundle(compiled.memory)
    this.#prepare(bundle.memory)
    await before?.()
    this.#bundle = bundle
    swap()
    // In force already: what cannot be written is compiled again after the next start.
    this.#keeping = writeBundleFile(this.#path, bundle).catch((error: Error) =>
      this.#warn(`${resolverFile.bundle}: ${error.message}`),
    )
    await this.#keeping
    return { reports: compiled.reports, names: bundle.names, durationMs: compiled.durationMs }
  }
}
