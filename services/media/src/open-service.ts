import { fileURLToPath } from 'node:url'
import { createLocalBus, openPostgresBus } from '@hearth/events'
import { warnOfForeignPasskeys } from '@hearth/accounts'
import { reportBackup, watchReleases } from '@hearth/notifications'
import { claimDataDirectory, OperatorError, systemTimers, type Log, type Timers } from '@hearth/runtime'
import {
  createReleaseCheck,
  messagesTo,
  openClaimed,
  openSealedStorage,
  startSealedBackups,
  type Opening,
  type SealedStorage,
} from '@hearth/service'
import { createApp, createCore, type App, type Core } from './app.ts'
import { readStorageKeys } from './artifacts/open-artifacts.ts'
import type { Config } from './config.ts'
import { databaseDescription } from './database/description.ts'
import { shortenEvent, type MediaEvent } from './events.ts'
import { firstQueued } from './jobs/store.ts'
import { LocalQueue } from './queue/local-queue.ts'
import type { Ticket } from './queue/queue.ts'
import type { Tables } from './tables.ts'
import { version } from './version.ts'

/** A service, or a worker, that can be closed. */
export interface Service {
  readonly app: App
  close(): Promise<void>
}

/** Folder of the built web pages. */
export const pagesFolder = fileURLToPath(new URL('../ui/dist', import.meta.url))

/**
 * Claims the data directory, opens what is in it and wires the service. Throws an `OperatorError`, and leaves nothing running,
 * when a setting is wrong, the directory is in use, or an open service would be reachable by others.
 */
export async function openService(config: Config, log: Log, timers: Timers = systemTimers): Promise<Service> {
  return openClaimed(claimDataDirectory(config.dataDirectory), async (opening) => {
    const { core, storage } = await openCore(config, { log, timers, opening })
    const isOpen = !core.settings.current().enable_authentication
    if (isOpen && !config.mayBeOpen && !isLoopback(config.bindAddress))
      throw new OperatorError(
        `BIND_ADDRESS: sign-in is off, so ${config.bindAddress} would be open to everybody; turn sign-in on first, or set ALLOW_OPEN=true`,
      )
    await warnOfForeignPasskeys(core.db, config.relyingParty.id, log)
    const store = await openBackupStore(config, opening)
    const backups = await startSealedBackups(databaseDescription, { config, storage, store, log, timers })
    opening.resources.defer(() => backups.close())
    const app = await createApp({ core, secret: storage.secret, pages: pagesFolder, backups })
    opening.resources.defer(() => app.close())
    const { reports } = app.notifications
    backups.onAttempt((attempt) => reportBackup(reports, attempt))
    const releases = createReleaseCheck({ version, url: config.releasesUrl, timers })
    const watch = watchReleases({ reports, check: () => releases.check(false), timers, log })
    opening.resources.defer(() => watch.close())
    return { app }
  })
}

/** Opens the object storage that backups are copied to; undefined when none is set. */
async function openBackupStore({ backupStorage }: Config, { resources }: Opening) {
  if (backupStorage === undefined) return undefined
  // Loaded on demand: the library is large.
  const { ObjectStorageBackups } = await import('./backups/object-storage-backups.ts')
  const store = new ObjectStorageBackups(backupStorage, readStorageKeys(process.env, 'BACKUP_S3'))
  resources.defer(() => store.close())
  return store
}

/** Opens a worker: it runs jobs of the database and serves no requests. */
export async function openWorker(config: Config, log: Log): Promise<{ close(): Promise<void> }> {
  if (config.databaseUrl === undefined)
    throw new OperatorError('DATABASE_URL: is needed: workers share their jobs by PostgreSQL')
  return openClaimed(claimDataDirectory(config.dataDirectory), async (opening) => {
    const { core } = await openCore(config, { log, timers: systemTimers, opening })
    await core.startWorkers(Math.max(1, core.workerCount()))
    return {}
  })
}

interface OpenContext {
  readonly log: Log
  readonly timers: Timers
  readonly opening: Opening
}

async function openCore(config: Config, context: OpenContext): Promise<{ core: Core; storage: SealedStorage<Tables> }> {
  const { log, timers, opening } = context
  const storage = await opening.openDatabase(() =>
    openSealedStorage<Tables>(databaseDescription, { ...config, ...messagesTo(log) }),
  )
  const { database, sealer } = storage
  const db = database.query
  const messages = await openMessages(config, context, () => firstQueued(db, timers.now()))
  const core = await createCore({ config, log, timers, database, sealer, ...messages })
  opening.resources.defer(() => core.close())
  // No other process works on this database: this one holds the lock of its file.
  if (database.kind === 'sqlite') await core.workers.recover(true)
  return { core, storage }
}

/** Opens the event bus and the job queue: local with SQLite, shared with PostgreSQL. */
async function openMessages(config: Config, { log, opening }: OpenContext, first: () => Promise<Ticket | undefined>) {
  const url = config.databaseUrl
  if (url === undefined) {
    const bus = createLocalBus<MediaEvent>()
    opening.resources.defer(() => bus.close())
    return { bus, queue: new LocalQueue({ first, log }) }
  }
  // Loaded here: one process on one machine needs neither.
  const [{ Pool }, { openGraphileQueue }] = await Promise.all([import('pg'), import('./queue/graphile-queue.ts')])
  const pool = new Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5000 })
  // A connection that the server ends must not end the process; the next query opens another.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  opening.resources.defer(() => pool.end())
  const names = { channel: 'hearth_media_events', sequence: 'media_event_seq' }
  const bus = await openPostgresBus<MediaEvent>({ url, pool, log, ...names, shorten: shortenEvent })
  opening.resources.defer(() => bus.close())
  return { bus, queue: await openGraphileQueue({ pool, log }) }
}

const isLoopback = (address: string): boolean => /^127\.|^::1$/.test(address)
