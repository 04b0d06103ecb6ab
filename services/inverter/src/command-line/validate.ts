import { existsSync } from 'node:fs'
import type { Environment } from '@hearth/runtime'
import { loadCatalog } from '../catalog/catalog.ts'
import { readConfig } from '../config.ts'
import { openQuery } from '../database/open.ts'
import { checkSecret, databaseFile } from '../database/secret.ts'
import { readDevices } from '../devices/devices.ts'

/**
 * Checks everything a start checks: settings, registry, allowlist, secret, database and saved device list. Throws the
 * `OperatorError` the start would end with.
 */
export async function validate(environment: Environment) {
  const config = readConfig(environment)
  const catalog = loadCatalog({ registry: config.registryFile, allowlist: config.allowlistFile })
  const secret = checkSecret(config)
  if (secret === undefined || !existsSync(databaseFile(config.dataDirectory))) return { catalog, devices: 0 }
  await using query = openQuery(config.dataDirectory, secret)
  return { catalog, devices: (await readDevices(query)).length }
}
