import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RestoreCounts } from '@hearth/database'
import { flushToDisk, OperatorError } from '@hearth/runtime'
import type { BackupKey, BackupSubject } from './backup-commands.ts'

/**
 * Puts a backup in the place of an embedded database that a newer version made. The backup is restored into a new file, which
 * takes the place of the other in one step; the newer database stays beside it. A crash leaves the one or the other.
 */
export async function replaceNewer<Tables>(
  subject: BackupSubject<Tables>,
  file: string,
  key: BackupKey,
): Promise<RestoreCounts> {
  const directory = await subject.dataDirectory()
  const name = `${subject.service}.db`
  const draft = join(directory, 'restore-draft')
  rmSync(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  try {
    await useDatabase(subject, directory, async (newer) => subject.beforeRestore?.(newer))
    const counts = await useDatabase(subject, draft, async (database) => {
      const { migrate, readDump } = await import('@hearth/database')
      await migrate(database.query, subject.migrations)
      const schema = Object.keys(subject.migrations).at(-1) ?? ''
      return readDump(database, file, { tables: subject.tables, cipher: key.fileCipher, schema })
    })
    const kept = `${name}.newer-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
    linkSync(join(directory, name), join(directory, kept))
    renameSync(join(draft, name), join(directory, name))
    await flushToDisk(directory)
    process.stderr.write(`the newer database was kept as ${join(directory, kept)}\n`)
    return counts
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Opens the database in the folder for the work; afterwards all of it is in one file, which may be renamed. */
async function useDatabase<Tables, T>(
  subject: BackupSubject<Tables>,
  folder: string,
  work: (database: Awaited<ReturnType<BackupSubject<Tables>['openIn']>>) => Promise<T>,
): Promise<T> {
  const database = await subject.openIn(folder)
  let result: T
  try {
    result = await work(database)
  } finally {
    await database.close()
  }
  const log = join(folder, `${subject.service}.db-wal`)
  // The last connection that closes writes the log into the database and removes it.
  if (existsSync(log) && statSync(log).size > 0)
    throw new OperatorError(`${log} is in use: end the commands that use ${folder}, and try again`)
  return result
}
