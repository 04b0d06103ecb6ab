import type { Log, Timers } from '@hearth/runtime'
import type { DatabaseDescription, SealedStorage, StorageLocation } from '../sealed-storage.ts'
import type { BackupPolicy } from './backup-settings.ts'
import type { BackupStore } from './backup-copies.ts'
import { Backups } from './backups.ts'
import { locationOf, sealedSource } from './sealed-source.ts'

/** A running service with a sealed database. */
export interface SealedService<Tables> {
  readonly config: Pick<StorageLocation, 'dataDirectory' | 'databaseUrl'> & { readonly backups: BackupPolicy }
  readonly storage: SealedStorage<Tables>
  /** Second place for the backups. */
  readonly store?: BackupStore | undefined
  readonly log: Log
  readonly timers: Timers
}

/**
 * Starts the backups that a service with a sealed database makes by itself, on a second connection to that database. Close
 * them before the database.
 */
export async function startSealedBackups<Tables>(
  about: DatabaseDescription,
  { config, storage, store, log, timers }: SealedService<Tables>,
): Promise<Backups<Tables>> {
  const { dataDirectory, backups: policy } = config
  const source = await sealedSource<Tables>(about, locationOf(about, config), storage)
  const backups = new Backups<Tables>({ source, policy, dataDirectory, store, log, timers })
  backups.start()
  return backups
}
