import { openSealedStorage, sealedBackup, storageForCommands } from '@hearth/service'
import { readCheckedConfig, type Config } from '../config.ts'
import { databaseDescription } from '../database/description.ts'
import type { Tables } from '../tables.ts'

const data = {
  readConfig: () => readCheckedConfig(process.env),
  openStorage: (config: Config) => openSealedStorage<Tables>(databaseDescription, config),
}

/** Opens the database for one command, whether or not the service runs, does the work and closes it again. */
export const withStorage = storageForCommands(data)

/** The data that `backup` and `restore` are about. */
export const backupSubject = sealedBackup(databaseDescription, data)
