import { join } from 'node:path'
import type { Migrations } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import type { SealedStorage, StorageLocation } from '../sealed-storage.ts'
import type { BackupPolicy } from './backup-settings.ts'
import { Backups } from './backups.ts'

/** A running service with a sealed database. */
export interface SealedService<Tables> {
  readonly config: Pick<StorageLocation, 'dataDirectory' | 'databaseUrl'> & { readonly backups: BackupPolicy }
  readonly storage: SealedStorage<Tables>
  readonly log: Log
  readonly timers: Timers
}

/**
 * Starts the backups that a service with a sealed database makes by itself, on a second connection to that database. Close
 * them before the database.
 *
 * @param about `tables` are in an order in which a row's references come before it
 */
export async function startSealedBackups<Tables>(
  about: { readonly service: string; readonly migrations: Migrations; readonly tables: readonly string[] },
  { config, storage, log, timers }: SealedService<Tables>,
): Promise<Backups<Tables>> {
  const { openDatabase } = await import('@hearth/database')
  const { dataDirectory, databaseUrl } = config
  const location =
    databaseUrl === undefined ? { file: join(dataDirectory, `${about.service}.db`) } : { url: databaseUrl }
  const { fileCipher, keyCheck, database } = storage
  const backups = new Backups<Tables>({
    source: {
      ...about,
      fileCipher,
      keyCheck,
      openReader: () => Promise.resolve(openDatabase<Tables>(location)),
      openScratch: (folder) => Promise.resolve(openDatabase<Tables>({ file: join(folder, 'scratch.db') })),
      sizeBytes: async () => (await database.usage()).sizeBytes,
    },
    policy: config.backups,
    dataDirectory,
    log,
    timers,
  })
  backups.start()
  return backups
}
