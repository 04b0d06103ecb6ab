import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a database file when it is missing, beside its place and then moved there in one step. SQLite lets nobody wait for
 * the first page and the kind of log of a new file: of processes that open one together some would be refused.
 *
 * @param make makes the empty database under the name it is given, and closes it
 */
export function createDatabaseFile(file: string, make: (draft: string) => void): void {
  if (existsSync(file)) return
  const draft = `${file}.${randomUUID()}.new`
  try {
    make(draft)
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  const directory = openSync(dirname(file), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
