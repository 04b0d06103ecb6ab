import { accessSync, constants, mkdtempSync, openSync, closeSync, rmdirSync, statSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectories, missingDirectories, removeEmpty } from './data-claim.ts'
import { OperatorError } from './operator-error.ts'

/**
 * Checks that a directory can be written to, or can be made, and leaves nothing behind. Throws an `OperatorError` that names
 * the setting.
 */
export function checkDirectory(setting: string, path: string): void {
  const missing = missingDirectories(path)
  try {
    if (missing.length === 0 && !statSync(path).isDirectory()) throw new Error('it is not a directory')
    makeDirectories(missing)
    // Some file systems report write access but refuse the write.
    rmdirSync(mkdtempSync(join(path, '.hearth-')))
  } catch (error) {
    throw new OperatorError(`${setting}: cannot use ${path}: ${(error as Error).message}`, { cause: error })
  } finally {
    removeEmpty(missing)
  }
}

/** Options of a file's check. */
export interface FileCheck {
  /** The file may be missing; then its directory must be there. */
  readonly mayBeMissing?: boolean
}

/** Checks that a regular file is there and can be read. Throws an `OperatorError` that names the setting. */
export function checkFile(setting: string, path: string, { mayBeMissing = false }: FileCheck = {}): void {
  const facts = inspect(setting, path)
  if (facts === undefined && mayBeMissing) return
  try {
    if (facts === undefined) throw new Error('there is no such file')
    if (!facts.isFile()) throw new Error('it is not a regular file')
    closeSync(openSync(path, 'r'))
  } catch (error) {
    throw new OperatorError(`${setting}: cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Checks that a program is there and may be run. Throws an `OperatorError` that names the setting. */
export function checkProgram(setting: string, path: string): void {
  try {
    const facts = inspect(setting, path)
    if (facts === undefined) throw new Error('there is no such file')
    if (!facts.isFile()) throw new Error('it is not a regular file')
    accessSync(path, constants.X_OK)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${setting}: cannot run ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Undefined when nothing is there. */
function inspect(setting: string, path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new OperatorError(`${setting}: cannot use ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Checks that a file can be made in a directory that is there, unless the file is. */
export function checkNewFile(setting: string, path: string): void {
  if (inspect(setting, path) === undefined) checkDirectoryIsThere(setting, dirname(path))
}

function checkDirectoryIsThere(setting: string, path: string): void {
  if (inspect(setting, path) === undefined) throw new OperatorError(`${setting}: there is no directory ${path}`)
  checkDirectory(setting, path)
}
