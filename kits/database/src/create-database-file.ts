import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a missing database file under a temporary name and renames it in one step. SQLite has no lock for the first page and
 * journal mode of a new file, so some of several processes that open it at once would fail.
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
