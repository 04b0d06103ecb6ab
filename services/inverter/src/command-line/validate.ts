import { existsSync } from 'node:fs'
import { sqliteDialect } from '@hearth/database'
import { OperatorError, type Environment } from '@hearth/runtime'
import { Kysely } from 'kysely'
import { loadCatalog } from '../catalog/catalog.ts'
import { readConfig, type Config } from '../config.ts'
import { openEncryptedSqlite } from '../database/open.ts'
import { checkSecret, databaseFile, keyFor } from '../database/secret.ts'
import type { Tables } from '../tables.ts'
import { deviceListError, deviceOfRow } from '../devices/device.ts'
import { allDeviceRows } from '../devices/store.ts'

/**
 * Checks everything a start checks: settings, registry, allowlist, secret, database and saved device list. Throws the
 * `OperatorError` the start would end with.
 */
export async function validate(environment: Environment) {
  const config = readConfig(environment)
  const catalog = loadCatalog({ registry: config.registryFile, allowlist: config.allowlistFile })
  const secret = checkSecret(config)
  if (secret === undefined || !existsSync(databaseFile(config.dataDirectory))) return { catalog, devices: 0 }
  return { catalog, devices: await checkDevices(config, secret) }
}

async function checkDevices(config: Config, secret: string): Promise<number> {
  const file = databaseFile(config.dataDirectory)
  const query = new Kysely<Tables>({
    dialect: sqliteDialect(openEncryptedSqlite(file, keyFor(secret, 'database'))),
  })
  try {
    const devices = (await allDeviceRows(query)).map(deviceOfRow)
    const fault = deviceListError(devices)
    if (fault !== undefined) throw new OperatorError(`the saved device list cannot be used: ${fault}`)
    return devices.length
  } finally {
    await query.destroy()
  }
}
