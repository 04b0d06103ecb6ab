import { openSealedStorage, sealedBackup, storageForCommands } from '@hearth/service'
import { readCheckedConfig, type Config } from '../config.ts'
import { migrations } from '../database/migrations/index.ts'
import { tableNames, type Tables } from '../tables.ts'

const data = {
  readConfig: () => readCheckedConfig(process.env),
  openStorage: (config: Config) => openSealedStorage<Tables>('sites', config, migrations),
}

/** Opens the database for one command, whether or not the service runs, does the work and closes it again. */
export const withStorage = storageForCommands(data)

/** The data that `backup` and `restore` are about. */
export const backupSubject = sealedBackup({ service: 'sites', migrations, tables: tableNames }, data)
