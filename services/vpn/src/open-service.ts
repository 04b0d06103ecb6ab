import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { warnOfForeignPasskeys } from '@hearth/accounts'
import { reportBackup, watchReleases } from '@hearth/notifications'
import { createOpenGuarded, createOutboundPolicy } from '@hearth/outbound'
import { claimDataDirectory, systemTimers, type Log } from '@hearth/runtime'
import { createReleaseCheck, messagesTo, openClaimed, openSealedStorage, startSealedBackups } from '@hearth/service'
import { version } from './about.ts'
import { type App, createApp } from './app.ts'
import { openAccessTable } from './access-rules/policy/table.ts'
import type { Config } from './config.ts'
import { databaseDescription } from './database/description.ts'
import { ResolverSupervisor } from './resolver/supervisor.ts'
import type { PrestartResolver } from './prestart-resolver.ts'
import type { Tables } from './tables.ts'
import { createFirstAdministrator, pendingFirstPassword } from './users/first-administrator.ts'
import { openHandshakeGate } from './handshakes/handshake-gate.ts'
import { chooseForHost, type DataPlaneChoice, openDataPlane } from './wireguard/choose-driver.ts'
import { createCommandRunner } from './wireguard/command.ts'

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
export const pagesFolder = fileURLToPath(new URL('../ui/dist', import.meta.url))

/**
 * Claims the data directory, opens what is in it, picks the data plane and wires the service. Throws an `OperatorError`, and
 * leaves nothing running, when a setting is wrong or the directory is in use.
 */
export async function openService(config: Config, log: Log, early?: PrestartResolver): Promise<Service> {
  const run = createCommandRunner()
  const dataPlane = await chooseForHost(config.backend, run)
  const claim = claimDataDirectory(config.dataDirectory, early?.lock)
  return openClaimed(claim, async ({ resources, openDatabase }) => {
    const resolver = early?.resolver ?? new ResolverSupervisor(join(config.dataDirectory, 'dns'))
    resources.defer(() => resolver.close())
    const storage = await openDatabase(() =>
      openSealedStorage<Tables>(databaseDescription, { ...config, ...messagesTo(log) }),
    )
    const { database, sealer } = storage
    await createFirstAdministrator(database, { dataDirectory: config.dataDirectory, now: Date.now() })
    await warnOfForeignPasskeys(database.query, config.relyingParty.id, log)
    const firstPassword = await pendingFirstPassword(database, config.dataDirectory)
    const backups = await startSealedBackups(databaseDescription, { config, storage, log, timers: systemTimers })
    resources.defer(() => backups.close())
    const planes = openDataPlane(dataPlane.backend, { directory: config.dataDirectory, run })
    const app = await createApp({
      config,
      log,
      database,
      sealer,
      dataPlane,
      ...planes,
      accessTable: openAccessTable(dataPlane.backend, run),
      gate: openHandshakeGate(dataPlane.backend, { run, log, timers: systemTimers }),
      resolver,
      backups,
      open: openGuarded(config),
      pages: pagesFolder,
      ...(config.clock === undefined ? {} : { clock: config.clock }),
    })
    resources.defer(() => app.close())
    await app.listenForNodes()
    const { reports } = app.notifications
    backups.onAttempt((attempt) => reportBackup(reports, attempt))
    const releases = createReleaseCheck({ version, url: config.releasesUrl, timers: systemTimers })
    const watch = watchReleases({ reports, check: () => releases.check(false), timers: systemTimers, log })
    resources.defer(() => watch.close())
    return { app, dataPlane, firstPassword }
  })
}

function openGuarded({ outboundAllow, hostLookup }: Config) {
  return createOpenGuarded(
    createOutboundPolicy(outboundAllow, hostLookup === undefined ? {} : { resolver: hostLookup }),
  )
}
