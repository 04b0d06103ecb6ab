import { withDataDirectory } from '@hearth/runtime'
import { createAdministrator } from '../accounts/first-password.ts'
import { readConfig, type Config } from '../config.ts'
import { openStorage, type Storage } from '../database/open.ts'
import { checkSecret } from '../database/secret.ts'

/** Opens the database for one command, whether or not the service runs, does the work and closes it again. */
export async function withStorage<T>(work: (storage: Storage & { config: Config }) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  checkSecret(config)
  const storage = await withDataDirectory(config.dataDirectory, () => openStorage(config))
  try {
    await createAdministrator(storage.database, config.dataDirectory)
    return await work({ ...storage, config })
  } finally {
    await storage.database.close()
  }
}
