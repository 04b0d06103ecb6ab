import { sealedBackup, storageForCommands } from '@hearth/service'
import { checkPlaces } from '../check-places.ts'
import { readConfig } from '../config.ts'
import { migrations } from '../database/migrations/index.ts'
import { openStorage } from '../database/open.ts'
import { tableNames } from '../database/tables.ts'

const data = {
  readConfig() {
    const config = readConfig(process.env)
    checkPlaces(config)
    return config
  },
  openStorage,
}

/** Opens the database for one command, whether or not the service runs, does the work and closes it again. */
export const withStorage = storageForCommands(data)

/** The data that `backup` and `restore` are about. */
export const backupSubject = sealedBackup({ service: 'media', migrations, tables: tableNames }, data)
