import { join } from 'node:path'
import { isBundleOf, readBundleFile, writeBundleFile } from '../../lists/bundle-file.ts'
import { startCompile } from '../../lists/compile.ts'
import { emptyBundle, openBundle, type ListBundle } from '../policy/list-bundle.ts'
import type { ListReport } from './messages.ts'
import { resolverFile, type ResolverList } from './resolver-files.ts'

/** Outcome of a change of the lists. */
export interface ListsChange {
  readonly reports: readonly ListReport[]
  readonly names: number
  readonly durationMs: number
}

/** The compiled lists. */
export interface ListsInForce {
  readonly bundle: () => ListBundle
  /** True when the bundle is not of these lists, or nothing is known of how they were compiled. */
  isStale(lists: readonly ResolverList[]): boolean
  /** Compiles these lists beside what is in force, then puts them in force by `swap`. Rejects, and leaves all as it is, when that fails. */
  compile(lists: readonly ResolverList[], swap: () => void): Promise<ListsChange>
  /** Resolves when what is in force lies on disk, or cannot. What is still being compiled is not waited for. */
  kept(): Promise<void>
}

/**
 * The lists as they lie on disk, compiled: to answer at once, also when they are not the newest. Compiling goes on in a thread of
 * its own, a change at a time.
 */
export function openListsInForce(directory: string, warn: (message: string) => void): ListsInForce {
  const path = join(directory, resolverFile.bundle)
  let bundle = readBundleFile(path) ?? emptyBundle()
  let turn: Promise<unknown> = Promise.resolve()
  let keeping: Promise<void> = Promise.resolve()

  async function compile(lists: readonly ResolverList[], swap: () => void): Promise<ListsChange> {
    const compiled = await startCompile(lists, directory)
    bundle = openBundle(compiled.memory)
    swap()
    // In force already: what cannot be written is compiled again after the next start.
    keeping = writeBundleFile(path, bundle).catch((error: Error) => warn(`${resolverFile.bundle}: ${error.message}`))
    await keeping
    return { reports: compiled.reports, names: bundle.names, durationMs: compiled.durationMs }
  }

  return {
    bundle: () => bundle,
    isStale: (lists) => !isBundleOf(bundle, lists),
    compile(lists, swap) {
      const done = turn.then(() => compile(lists, swap))
      turn = done.catch(() => undefined)
      return done
    },
    kept: () => keeping,
  }
}
