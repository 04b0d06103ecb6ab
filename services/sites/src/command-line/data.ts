import { sealedBackup, storageForCommands } from '@hearth/service'
import { checkPrograms, readConfig } from '../config.ts'
import { migrations } from '../database/migrations/index.ts'
import { openStorage } from '../database/open.ts'
import { tableNames } from '../tables.ts'

const data = {
  readConfig() {
    const config = readConfig(process.env)
    checkPrograms(config)
    return config
  },
  openStorage,
}

/** Opens the database for one command, whether or not the service runs, does the work and closes it again. */
export const withStorage = storageForCommands(data)

/** The data that `backup` and `restore` are about. */
export const backupSubject = sealedBackup({ service: 'sites', migrations, tables: tableNames }, data)
