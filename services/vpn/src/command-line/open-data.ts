import { withDataDirectory } from '@hearth/runtime'
import { checkPlaces } from '../check-places.ts'
import { readConfig, type Config } from '../config.ts'
import { openStorage, type Storage } from '../database/open.ts'
import { createFirstAdministrator } from '../users/first-administrator.ts'

/**
 * Opens the data directory for one command, whether or not the service runs, does the work and closes it again. The first
 * administrator is made when there is none, so that commands work before the first start.
 */
export async function withStorage<T>(work: (storage: Storage & { config: Config }) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  checkPlaces(config)
  const storage = await withDataDirectory(config.dataDirectory, () => openStorage(config))
  try {
    await createFirstAdministrator(storage.database, { dataDirectory: config.dataDirectory, now: Date.now() })
    return await work({ ...storage, config })
  } finally {
    await storage.database.close()
  }
}
