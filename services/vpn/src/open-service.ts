import { join } from 'node:path'
import { createOpenGuarded, createOutboundPolicy } from '@hearth/outbound'
import { claimDataDirectory, type Log } from '@hearth/runtime'
import { createApp, type App } from './app.ts'
import { checkPlaces } from './check-places.ts'
import type { Config } from './config.ts'
import { openStorage } from './database/open.ts'
import { RunningResolver } from './dns/process/running-resolver.ts'
import type { EarlyResolver } from './early-resolver.ts'
import { createFirstAdministrator, pendingFirstPassword } from './users/first-administrator.ts'
import { chooseBackend, openDataPlane, type DataPlaneChoice } from './wireguard/choose-driver.ts'
import { createCommandRunner } from './wireguard/command.ts'
import { readHostFacts } from './wireguard/host-facts.ts'

/** A service that owns its data directory, ready to listen. */
export interface Service {
  readonly app: App
  readonly dataPlane: DataPlaneChoice
  /** The password generated on the first start, until it is changed. */
  readonly firstPassword: string | undefined
  /** Ends everything but the tunnels, which keep running. */
  close(): Promise<void>
}

/** Folder of the built web pages. */
export const pagesFolder = join(import.meta.dirname, '../ui/dist')

/**
 * Claims the data directory, opens what is in it, picks the data plane and wires the service. Throws an `OperatorError`, and
 * leaves nothing running, when a setting is wrong or the directory is in use.
 */
export async function openService(config: Config, log: Log, early?: EarlyResolver): Promise<Service> {
  await using cleanup = new AsyncDisposableStack()
  checkPlaces(config)
  const run = createCommandRunner()
  const dataPlane = chooseBackend(config.backend, await readHostFacts(run))
  const claim = cleanup.use(claimDataDirectory(config.dataDirectory, early?.lock))
  const resolver = early?.resolver ?? new RunningResolver(join(config.dataDirectory, 'dns'))
  cleanup.defer(() => resolver.close())
  const { database, sealer } = await openStorage({ ...config, warn: (message) => log.warn(message) })
  cleanup.defer(() => database.close())
  // A server's database knows the key from now on.
  if (database.kind === 'postgres') claim.keep()
  await createFirstAdministrator(database, { dataDirectory: config.dataDirectory, now: Date.now() })
  const firstPassword = await pendingFirstPassword(database, config.dataDirectory)
  const planes = openDataPlane(dataPlane.backend, { directory: config.dataDirectory, run })
  const app = await createApp({
    config,
    log,
    database,
    sealer,
    dataPlane,
    ...planes,
    resolver,
    open: openGuarded(config),
    pages: pagesFolder,
  })
  cleanup.defer(() => app.close())
  claim.keep()
  const resources = cleanup.move()
  return { app, dataPlane, firstPassword, close: () => resources.disposeAsync() }
}

function openGuarded({ outboundAllow, hostLookup }: Config) {
  return createOpenGuarded(
    createOutboundPolicy(outboundAllow, hostLookup === undefined ? {} : { resolver: hostLookup }),
  )
}
