import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lockDataDirectory, lockFileName, openDataDirectory, type DataDirectoryLock } from './data-directory.ts'

/** A claimed data directory. Disposing of it ends the claim. */
export interface DataDirectoryClaim extends Disposable {
  /** Keeps the written files, after a successful start. */
  keep(): void
}

/**
 * Claims the data directory for a start that may still be refused. Unless `keep` is called, disposing of the claim removes
 * everything from a directory that was missing or empty before, so that a refused start leaves nothing behind. Throws
 * `DataInUse` when another process owns the directory.
 *
 * @param held the lock when this process owns the directory already
 */
export function claimDataDirectory(path: string, held?: DataDirectoryLock): DataDirectoryClaim {
  const made = missingDirectories(path)
  const lock = held ?? makeAndLock(path, made)
  let isFresh = held === undefined && contentOf(path).length === 0
  return {
    keep: () => (isFresh = false),
    [Symbol.dispose]() {
      if (!isFresh) return lock.release()
      for (const name of contentOf(path)) rmSync(join(path, name), { recursive: true, force: true })
      // Runs while the lock is held, so that no other process can claim the directory.
      rmSync(join(path, lockFileName), { force: true })
      lock.release()
      for (const name of readdirSync(path)) if (name.startsWith(lockFileName)) rmSync(join(path, name), { force: true })
      removeEmpty(made)
    },
  }
}

function makeAndLock(path: string, made: readonly string[]): DataDirectoryLock {
  openDataDirectory(path)
  try {
    return lockDataDirectory(path)
  } catch (error) {
    removeEmpty(made)
    throw error
  }
}

/**
 * Makes the data directory for work that does not own it, such as a command beside a running service. When the work fails,
 * the directories that were made for it are removed again as far as they are empty.
 */
export async function withDataDirectory<T>(path: string, work: () => Promise<T>): Promise<T> {
  const made = missingDirectories(path)
  openDataDirectory(path)
  try {
    return await work()
  } catch (error) {
    removeEmpty(made)
    throw error
  }
}

/** True when a data directory is missing or empty. */
export function isEmptyDirectory(path: string): boolean {
  try {
    return contentOf(path).length === 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

const contentOf = (path: string): string[] => readdirSync(path).filter((name) => !name.startsWith(lockFileName))

/** The directories that have to be made for a path, innermost first. */
export function missingDirectories(path: string): string[] {
  return existsSync(path) || dirname(path) === path ? [] : [path, ...missingDirectories(dirname(path))]
}

/** Removes directories, innermost first; one that is not empty stays, and those around it. */
export function removeEmpty(directories: readonly string[]): void {
  try {
    for (const directory of directories) rmdirSync(directory)
  } catch {
    // Not empty, or already removed.
  }
}

/** Makes directories, outermost first, for their owner alone. */
export function makeDirectories(innermostFirst: readonly string[]): void {
  for (const directory of innermostFirst.toReversed()) mkdirSync(directory, { mode: 0o700 })
}
