import type { NewerDatabase } from '@hearth/database'
import { findRestorable } from './backups/upgrade-backup.ts'
import type { DatabaseDescription, StorageLocation } from './sealed-storage.ts'

type Location = Pick<StorageLocation, 'dataDirectory' | 'backups'> & Partial<Pick<StorageLocation, 'databaseUrl'>>

/**
 * Returns the error of a start on a database that a newer version made: it names the newest backup that this version can
 * restore, and the command that does.
 */
export async function newerDatabase(
  { service, migrations }: Pick<DatabaseDescription, 'service' | 'migrations'>,
  { dataDirectory, databaseUrl, backups }: Location,
  error: NewerDatabase,
): Promise<NewerDatabase> {
  const { NewerDatabase: Newer } = await import('@hearth/database')
  const found = await findRestorable(service, migrations, { dataDirectory, backupDirectory: backups?.directory })
  const setting = databaseUrl === undefined ? 'DATA_DIR' : 'DATABASE_URL'
  const problem = `${setting}: ${error.message}. Install that version again`
  if (found === undefined)
    return new Newer(
      `${problem}; no backup that this version can restore is in BACKUP_DIR or ${dataDirectory}/backups`,
      {
        cause: error,
      },
    )
  const first = databaseUrl === undefined ? '' : 'set DATABASE_URL to an empty database and '
  return new Newer(
    `${problem}, or ${first}go back to the backup from before: hearth ${service} restore ${found.path}`,
    {
      cause: error,
    },
  )
}
