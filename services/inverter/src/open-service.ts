import { fileURLToPath } from 'node:url'
import { warnOfForeignPasskeys } from '@hearth/accounts'
import { reportBackup, watchReleases } from '@hearth/notifications'
import {
  claimDataDirectory,
  DataInUse,
  systemTimers,
  type DataDirectoryClaim,
  type Log,
  type Timers,
} from '@hearth/runtime'
import { Backups, messagesTo, openClaimed } from '@hearth/service'
import { createAdministrator, pendingPassword } from './accounts/sessions.ts'
import { createApp, type AppDependencies } from './app.ts'
import { loadCatalog } from './catalog/catalog.ts'
import { createControlSocket } from './command-line/control-socket.ts'
import type { Config } from './config.ts'
import { openStorage } from './database/open.ts'
import { checkSecret } from './database/secret.ts'

/** A service that owns its data directory, ready to listen. */
export type Service = Awaited<ReturnType<typeof openService>>

/** Options for opening a service, beside its settings. */
interface OpenOptions extends Pick<AppDependencies, 'wrapDispatchStore'> {
  readonly log: Log
  readonly timers?: Timers
  /** For a command while no service runs: nothing is sent to a device. */
  readonly isOffline?: boolean
}

/** Folder of the built web pages. */
const pagesFolder = fileURLToPath(new URL('../ui/dist', import.meta.url))

/**
 * Claims the data directory, opens the encrypted database and wires the service. Throws an `OperatorError`, and leaves
 * nothing running, when a setting, the catalog, the secret or the device list cannot be used, or the directory is in use.
 */
export async function openService(config: Config, options: OpenOptions) {
  const { log, timers = systemTimers, isOffline = false } = options
  const catalog = loadCatalog({ registry: config.registryFile, allowlist: config.allowlistFile })
  checkSecret(config)
  const claim = await claimWithRetry(config.dataDirectory, isOffline ? 0 : claimTimeout)
  return openClaimed(claim, async ({ resources, openDatabase }) => {
    const storage = await openDatabase(() => openStorage({ ...config, ...messagesTo(log) }))
    const { database } = storage
    await createAdministrator(database, config.dataDirectory)
    await warnOfForeignPasskeys(database.query, config.relyingParty.id, log)
    const firstPassword = await pendingPassword(database, config.dataDirectory)
    const { dataDirectory, backups: policy } = config
    const backups = new Backups({ source: storage.backupSource, policy, dataDirectory, log, timers })
    resources.defer(() => backups.close())
    const control = createControlSocket(config.dataDirectory)
    // Closed after the app: a command that is under way gets its answer.
    resources.defer(() => control.close())
    const app = await createApp({
      config,
      log,
      timers,
      catalog,
      database,
      sealer: storage.sealer,
      backups,
      isOffline,
      isOperator: (socket) => control.isOperator(socket),
      pages: pagesFolder,
      wrapDispatchStore: options.wrapDispatchStore,
    })
    resources.defer(() => app.close())
    const { reports } = app.notifications
    backups.onAttempt((attempt) => reportBackup(reports, attempt))
    if (!isOffline) {
      backups.start()
      const watch = watchReleases({ reports, check: () => app.releases.check(false), timers, log })
      resources.defer(() => watch.close())
    }
    await control.listen((request, response) => app.http.routing(request, response))
    /** `firstPassword` is the one generated on the first start, until it is changed. */
    return { app, firstPassword }
  })
}

/** Time a service waits for a command that has the data open, milliseconds. */
const claimTimeout = 3000

async function claimWithRetry(dataDirectory: string, patience: number): Promise<DataDirectoryClaim> {
  const begin = performance.now()
  for (;;) {
    try {
      return claimDataDirectory(dataDirectory)
    } catch (error) {
      if (!(error instanceof DataInUse) || performance.now() - begin >= patience) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
