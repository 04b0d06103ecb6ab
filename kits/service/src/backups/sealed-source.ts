import { join } from 'node:path'
import type { Database, DatabaseLocation, MeasuredDatabase } from '@hearth/database'
import type { BackupKey } from '../backup-commands.ts'
import type { DatabaseDescription, StorageLocation } from '../sealed-storage.ts'
import type { BackupSource } from './make-backup.ts'

/** Returns where the settings say that the database of a service is. */
export function locationOf(
  { service }: Pick<DatabaseDescription, 'service'>,
  { databaseUrl, dataDirectory }: Pick<StorageLocation, 'databaseUrl' | 'dataDirectory'>,
): DatabaseLocation {
  return databaseUrl === undefined ? { file: join(dataDirectory, `${service}.db`) } : { url: databaseUrl }
}

/**
 * Describes a sealed database for its backups.
 *
 * @param opened its key, and an open connection that tells the size
 */
export async function sealedSource<Tables>(
  about: DatabaseDescription,
  location: DatabaseLocation,
  opened: BackupKey & { readonly database: Pick<MeasuredDatabase<never>, 'usage'> },
): Promise<BackupSource<Tables>> {
  const { openDatabase } = await import('@hearth/database')
  const { fileCipher, keyCheck, database } = opened
  return {
    ...about,
    fileCipher,
    keyCheck,
    openReader: () => Promise.resolve(openDatabase<Tables>(location)),
    openScratch,
    sizeBytes: async () => (await database.usage()).sizeBytes,
  }
}

/** Creates an empty embedded database in the folder, which is removed after use. Sealed columns stay sealed in it. */
export async function openScratch<Tables>(folder: string): Promise<Database<Tables>> {
  const { openDatabase } = await import('@hearth/database')
  return openDatabase<Tables>({ file: join(folder, 'scratch.db'), isTemporary: true })
}
