import { existsSync } from 'node:fs'
import type { Environment } from '@hearth/runtime'
import { loadCatalog } from '../catalog/catalog.ts'
import { readConfig, type Config } from '../config.ts'
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
  return { catalog, devices: await checkDevices(config, secret) }
}

async function checkDevices(config: Config, secret: string): Promise<number> {
  const query = openQuery(config.dataDirectory, secret)
  try {
    return (await readDevices(query)).length
  } finally {
    await query.destroy()
  }
}
