import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from './operator-error.ts'

/** Makes the data directory if it is missing, for its owner alone (mode 0700), and returns its path. */
export function openDataDirectory(path: string): string {
  try {
    makeDirectory(path)
    if (!statSync(path).isDirectory()) throw new Error('it is not a directory')
    chmodSync(path, 0o700)
  } catch (error) {
    throw new OperatorError(`DATA_DIR: cannot use ${path}: ${(error as Error).message}`, { cause: error })
  }
  return path
}

/** Level by level: Node's own recursion never ends below a folder such as `/proc` that says a new entry does not exist. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Another process owns the data directory. */
export class DataInUse extends OperatorError {}

/** The lock of a data directory; the system releases it when the process ends, however it ends. */
export interface DataDirectoryLock extends Disposable {
  release(): void
}

/** Connections that hold a lock. Node closes a connection that nobody refers to any more, which would end the lock. */
const held = new Set<DatabaseSync>()

/** Name of the file in a data directory that is locked while a process owns it. */
export const lockFileName = 'service.lock'

/**
 * Claims the data directory for this process. A second claim, from this or another process, throws `DataInUse`.
 * The lock is an exclusive SQLite transaction on `service.lock`, so a `kill -9` leaves nothing to clean up.
 */
export function lockDataDirectory(path: string): DataDirectoryLock {
  const file = join(path, lockFileName)
  const database = openLockFile(file)
  try {
    database.exec('pragma busy_timeout = 0; pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    database.close()
    throw new DataInUse(`DATA_DIR: ${path} is in use by another running service`, { cause: error })
  }
  held.add(database)
  const release = () => {
    if (held.delete(database)) database.close()
  }
  // A start that was refused in this moment removed the file, and with it what is locked here.
  if (!existsSync(file)) {
    release()
    return lockDataDirectory(path)
  }
  return { release, [Symbol.dispose]: release }
}

function openLockFile(file: string): DatabaseSync {
  try {
    makePrivateFile(file)
    return new DatabaseSync(file)
  } catch (error) {
    throw new OperatorError(`DATA_DIR: cannot use ${file}: ${(error as Error).message}`, { cause: error })
  }
}

/** Makes an empty file for its owner alone when it is missing, so that what is opened there later never was readable. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}
