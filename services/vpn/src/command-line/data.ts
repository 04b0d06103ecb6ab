import { sealedBackup, storageForCommands } from '@hearth/service'
import { checkPlaces } from '../check-places.ts'
import { readConfig, type Config } from '../config.ts'
import { migrations } from '../database/migrations/index.ts'
import { openStorage, type Storage } from '../database/open.ts'
import { tableNames } from '../database/tables.ts'
import { createFirstAdministrator } from '../users/first-administrator.ts'

/** The data of a command; the first administrator is made when there is none. */
export const data = {
  readConfig() {
    const config = readConfig(process.env)
    checkPlaces(config)
    return config
  },
  openStorage,
  prepare: ({ database }: Storage, { dataDirectory }: Config) =>
    createFirstAdministrator(database, { dataDirectory, now: Date.now() }),
}

/** Opens the database for one command, whether or not the service runs, does the work and closes it again. */
export const withStorage = storageForCommands(data)

/** The data that `backup` and `restore` are about. */
export const backupSubject = sealedBackup({ service: 'vpn', migrations, tables: tableNames }, data)
