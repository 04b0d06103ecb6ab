import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { lockDataDirectory, type DataDirectoryLock } from '@hearth/runtime/data-directory'
import { resolverFile } from './dns/resolver-files.ts'
import { ResolverSupervisor } from './resolver/supervisor.ts'

/** A resolver that answers before the rest of the service is loaded, and the data directory it claimed for that. */
export interface PrestartResolver {
  readonly lock: DataDirectoryLock
  readonly resolver: ResolverSupervisor
}

/**
 * Maximum time that the rest of the start waits for the resolver, milliseconds: on one core the two would slow each other down.
 */
const patience = 2500

/**
 * Starts the resolver by the files of the last run, so that names are answered while the service still loads. Undefined on a
 * first start. Throws an `OperatorError` when the directory is in use.
 */
export async function prestartResolver(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<PrestartResolver | undefined> {
  // As all settings: an empty variable is not set.
  const { DATA_DIR } = environment
  const directory = resolve(DATA_DIR === undefined || DATA_DIR === '' ? 'data/vpn' : DATA_DIR)
  if (!existsSync(join(directory, 'dns', resolverFile.settings))) return undefined
  const lock = lockDataDirectory(directory)
  const resolver = new ResolverSupervisor(join(directory, 'dns'))
  await Promise.race([resolver.ready().catch(() => undefined), pause(patience)])
  return { lock, resolver }
}
