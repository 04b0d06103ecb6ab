import { sizeOfFiles } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import { Backups } from '@hearth/service'
import type { Config } from '../config.ts'
import { backupTableNames, type Tables } from '../tables.ts'
import { migrations } from './migrations/index.ts'
import { openScratch, type openStorage } from './open.ts'
import { databaseFile } from './secret.ts'

/** A running service with its encrypted database. */
interface Running {
  readonly config: Pick<Config, 'dataDirectory' | 'backups'>
  readonly storage: Awaited<ReturnType<typeof openStorage>>
  readonly log: Log
  readonly timers: Timers
}

/**
 * Starts the backups that the service makes by itself, on a second connection to the database. They are tried in a database
 * that is encrypted too. Close them before the database.
 */
export function startBackups({ config, storage, log, timers }: Running): Backups<Tables> {
  const { dataDirectory, backups: policy } = config
  const { fileCipher, keyCheck, openReader } = storage
  const backups = new Backups<Tables>({
    source: {
      service: 'inverter',
      migrations,
      tables: backupTableNames,
      fileCipher,
      keyCheck,
      openReader: () => Promise.resolve(openReader()),
      openScratch: (folder) => Promise.resolve(openScratch(folder)),
      sizeBytes: () => sizeOfFiles(databaseFile(dataDirectory)),
    },
    policy,
    dataDirectory,
    log,
    timers,
  })
  backups.start()
  return backups
}
