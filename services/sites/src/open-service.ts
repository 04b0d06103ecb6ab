import { join } from 'node:path'
import { openSetUpToken } from '@hearth/accounts'
import { claimDataDirectory, systemTimers, type Log, type Timers } from '@hearth/runtime'
import { usersIn } from './accounts/store.ts'
import { createApp, type App } from './app.ts'
import { checkPlaces } from './check-places.ts'
import type { Config } from './config.ts'
import { openStorage } from './database/open.ts'
import { checkOwnPorts, openOwnCaddy } from './nodes/own-caddy.ts'
import { warnOfForeignPasskeys } from './passkeys/foreign-passkeys.ts'

/** A service that owns its data directory, ready to listen. */
export interface Service {
  readonly app: App
  /** What the first administrator must know, until there is one. */
  readonly setUpToken: () => string | undefined
  /** Why there is no Caddy of the service's own; undefined when there is one, or none is wanted. */
  readonly caddyTrouble: string | undefined
  close(): Promise<void>
}

/** Folder of the built web pages. */
export const pagesFolder = join(import.meta.dirname, '../ui/dist')

/**
 * Claims the data directory, opens what is in it and wires the service. Throws an `OperatorError`, and leaves nothing running,
 * when a setting is wrong or the directory is in use.
 */
export async function openService(config: Config, log: Log, timers: Timers = systemTimers): Promise<Service> {
  await using cleanup = new AsyncDisposableStack()
  checkPlaces(config)
  const claim = cleanup.use(claimDataDirectory(config.dataDirectory))
  await checkOwnPorts(config)
  const { database, secret } = await openStorage({ ...config, warn: (message) => log.warn(message) })
  cleanup.defer(() => database.close())
  // A server's database knows the key from now on.
  if (database.kind === 'postgres') claim.keep()
  const setUpToken = await openSetUpToken(config.dataDirectory, (await usersIn(database.query).count()) > 0)
  await warnOfForeignPasskeys(database.query, config.relyingParty.id, log)
  const { caddy: own, trouble } = await openOwnCaddy(config, log, timers)
  cleanup.defer(async () => own?.close())
  const app = await createApp({ config, log, timers, database, secret, setUpToken, pages: pagesFolder, own })
  cleanup.defer(() => app.close())
  claim.keep()
  const resources = cleanup.move()
  return { app, caddyTrouble: trouble, setUpToken: () => setUpToken.current(), close: () => resources.disposeAsync() }
}
