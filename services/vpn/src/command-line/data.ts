import {
  type BackupSubject,
  openSealedStorage,
  sealedBackup,
  storageForCommands,
  type SealedStorage,
} from '@hearth/service'
import { readCheckedConfig, type Config } from '../config.ts'
import { databaseDescription } from '../database/description.ts'
import { devicesOfHost, type LeftDevice, noteLeftDevices } from '../interfaces/store.ts'
import type { Tables } from '../tables.ts'
import { createFirstAdministrator } from '../users/first-administrator.ts'
import { createSealer, replaceSecretKey } from '@hearth/credentials'
import { claimDataDirectory, OperatorError } from '@hearth/runtime'
import { resealAll } from '../database/store.ts'

/** The data of a command; the first administrator is made when there is none. */
const data = {
  readConfig: () => readCheckedConfig(process.env),
  openStorage: (config: Config) => openSealedStorage<Tables>(databaseDescription, config),
  prepare: ({ database }: SealedStorage<Tables>, { dataDirectory }: Config) =>
    createFirstAdministrator(database, { dataDirectory, now: Date.now() }),
}

/** Opens the database for one command, whether or not the service runs, does the work and closes it again. */
export const withStorage = storageForCommands(data)

/** The data that `backup` and `restore` are about. */
export const backupSubject = withDevices(sealedBackup(databaseDescription, data))

/** Devices run on while a restore replaces their rows; the next start takes those down that are not of this host any more. */
function withDevices(subject: BackupSubject<Tables>): BackupSubject<Tables> {
  let running: LeftDevice[] = []
  return {
    ...subject,
    async beforeRestore({ query }) {
      running = await devicesOfHost(query)
    },
    async afterRestore() {
      if (running.length === 0) return
      const { database } = await subject.open()
      await noteLeftDevices(database.query, running).finally(() => database.close())
    },
  }
}

/** Seals everything with a new key. The service must not run, and older backups need the old key. */
export async function rotateKey(): Promise<void> {
  const config = data.readConfig()
  if (config.secretKey !== undefined)
    throw new OperatorError('SECRET_KEY: only a key in a file can be replaced; unset it')
  using claim = claimDataDirectory(config.dataDirectory)
  const { database, sealer } = await data.openStorage(config)
  claim.keep()
  try {
    await replaceSecretKey(config.secretKeyFile, async (next) => {
      const count = await resealAll(database.query, sealer, createSealer(next))
      process.stderr.write(`sealed ${count} keys anew; make a backup now, older ones need the old key\n`)
    })
  } finally {
    await database.close()
  }
}
