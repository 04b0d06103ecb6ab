import { fileURLToPath } from 'node:url'
import { openSetUpToken, warnOfForeignPasskeys } from '@hearth/accounts'
import { reportBackup, watchReleases } from '@hearth/notifications'
import { claimDataDirectory, systemTimers, type Log, type Timers } from '@hearth/runtime'
import { createReleaseCheck, messagesTo, openClaimed, openSealedStorage, startSealedBackups } from '@hearth/service'
import { version } from './about.ts'
import { usersIn } from './accounts/users.ts'
import { createApp, type App } from './app.ts'
import type { Config } from './config.ts'
import { databaseDescription } from './database/description.ts'
import { checkOwnPorts, openOwnCaddy } from './deploy/nodes/own-caddy.ts'
import { portalHosts } from './sites/store.ts'
import type { Tables } from './tables.ts'

/** A service that owns its data directory, ready to listen. */
export interface Service {
  readonly app: App
  /** Returns the set-up token, until there is an administrator. */
  readonly setUpToken: () => string | undefined
  /** Reason why the service's own Caddy does not run; undefined when it runs, or none is wanted. */
  readonly caddyFailure: string | undefined
  close(): Promise<void>
}

/** Folder of the built web pages. */
export const pagesFolder = fileURLToPath(new URL('../ui/dist', import.meta.url))

/**
 * Claims the data directory, opens what is in it and wires the service. Throws an `OperatorError`, and leaves nothing running,
 * when a setting is wrong or the directory is in use.
 */
export async function openService(config: Config, log: Log, timers: Timers = systemTimers): Promise<Service> {
  return openClaimed(claimDataDirectory(config.dataDirectory), async ({ resources, openDatabase }) => {
    await checkOwnPorts(config)
    const storage = await openDatabase(() =>
      openSealedStorage<Tables>(databaseDescription, { ...config, ...messagesTo(log) }),
    )
    const { database, secret } = storage
    const backups = await startSealedBackups(databaseDescription, { config, storage, log, timers })
    resources.defer(() => backups.close())
    const setUpToken = await openSetUpToken(config.dataDirectory, (await usersIn(database.query).count()) > 0)
    const ownIds = [config.relyingParty.id, ...(await portalHosts(database.query))]
    await warnOfForeignPasskeys(database.query, ownIds, log)
    const { caddy: own, failure } = await openOwnCaddy(config, log, timers)
    resources.defer(async () => own?.close())
    const app = await createApp({ config, log, timers, database, secret, setUpToken, pages: pagesFolder, own, backups })
    resources.defer(() => app.close())
    const { reports } = app.notifications
    backups.onAttempt((attempt) => reportBackup(reports, attempt))
    const releases = createReleaseCheck({ version, url: config.releasesUrl, timers })
    const watch = watchReleases({ reports, check: () => releases.check(false), timers, log })
    resources.defer(() => watch.close())
    return { app, caddyFailure: failure, setUpToken: () => setUpToken.current() }
  })
}
