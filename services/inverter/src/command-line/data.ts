import { existsSync } from 'node:fs'
import { forgetInitialPassword } from '@hearth/accounts'
import type { Database } from '@hearth/database'
import { OperatorError, type Environment } from '@hearth/runtime'
import { storageForCommands, type BackupSubject } from '@hearth/service'
import { createAdministrator } from '../accounts/sessions.ts'
import { loadCatalog } from '../catalog/catalog.ts'
import { readConfig } from '../config.ts'
import { migrations } from '../database/migrations/index.ts'
import { backupKeyOf, openEncrypted, openQuery, openScratch, openStorage } from '../database/open.ts'
import { checkSecret, databaseFile, findSecret, presentSecret } from '../database/secret.ts'
import { readDevices } from '../devices/devices.ts'
import { createDispatchStore } from '../dispatch/store.ts'
import { backupTableNames, type Tables } from '../tables.ts'

/**
 * Checks everything a start checks: settings, registry, allowlist, secret, database and saved device list. Throws the
 * `OperatorError` the start would end with.
 */
export async function validate(environment: Environment = process.env) {
  const config = readConfig(environment)
  const catalog = loadCatalog({ registry: config.registryFile, allowlist: config.allowlistFile })
  const secret = checkSecret(config)
  if (secret === undefined || !existsSync(databaseFile(config.dataDirectory))) return { catalog, devices: 0 }
  await using query = openQuery(config.dataDirectory, secret)
  return { catalog, devices: (await readDevices(query)).length }
}

function readChecked() {
  const config = readConfig(process.env)
  checkSecret(config)
  return config
}

/** Opens the database for one command, whether or not the service runs, does the work and closes it again. */
export const withStorage = storageForCommands({
  readConfig: readChecked,
  openStorage,
  prepare: ({ database }, { dataDirectory }) => createAdministrator(database, dataDirectory),
})

/** The data that `backup` and `restore` are about. */
export const backupSubject: BackupSubject<Tables> = {
  service: 'inverter',
  migrations,
  tables: backupTableNames,
  dataDirectory: () => Promise.resolve(readChecked().dataDirectory),
  currentKey() {
    const secret = presentSecret(readConfig(process.env))
    return Promise.resolve(secret === undefined ? undefined : backupKeyOf(secret))
  },
  open: () => openStorage(readConfig(process.env)),
  openScratch: (folder) => Promise.resolve(openScratch(folder)),
  async openIn(folder) {
    return openEncrypted(folder, await findSecret(readConfig(process.env)))
  },
  isEmbedded: () => true,
  beforeRestore: refuseUnfinished,
  // The file holds the password of the administrator who is replaced.
  afterRestore: () => forgetInitialPassword(readConfig(process.env).dataDirectory),
}

/** Only this database knows the settings from before a dispatch: they must be restored on the inverter first. */
async function refuseUnfinished({ query }: Database<Tables>): Promise<void> {
  const first = (await createDispatchStore(query).all()).find(({ state }) => state !== 'idle')
  if (first !== undefined)
    throw new OperatorError(
      `a dispatch of ${first.device_id} is not finished: start the service until it is, or use forget-dispatch --device ${first.device_id} --force`,
    )
}
