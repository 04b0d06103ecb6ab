import { join } from 'node:path'
import { createLocalBus, openPostgresBus } from '@hearth/events'
import {
  claimDataDirectory,
  OperatorError,
  systemTimers,
  type DataDirectoryClaim,
  type Log,
  type Timers,
} from '@hearth/runtime'
import { Pool } from 'pg'
import { createApp, type App } from './app.ts'
import { checkPlaces } from './check-places.ts'
import type { Config } from './config.ts'
import { createCore, type Core } from './core.ts'
import { openStorage } from './database/open.ts'
import { shortenEvent, type MediaEvent } from './events/schema.ts'
import { firstQueued } from './jobs/store.ts'
import { openGraphileQueue } from './queue/graphile-queue.ts'
import { createLocalQueue } from './queue/local-queue.ts'
import type { Ticket } from './queue/queue.ts'

/** A service, or a worker, that can be closed. */
export interface Service {
  readonly app: App
  close(): Promise<void>
}

/** Folder of the built web pages. */
export const pagesFolder = join(import.meta.dirname, '../ui/dist')

/**
 * Claims the data directory, opens what is in it and wires the service. Throws an `OperatorError`, and leaves nothing running,
 * when a setting is wrong, the directory is in use, or an open service would be reachable by others.
 */
export async function openService(config: Config, log: Log, timers: Timers = systemTimers): Promise<Service> {
  await using cleanup = new AsyncDisposableStack()
  const { core, secret, claim } = await openCore(config, { log, timers, cleanup })
  const isOpen = !core.settings.current().enable_authentication
  if (isOpen && !config.mayBeOpen && !isLoopback(config.bindAddress)) {
    await core.close()
    throw new OperatorError(
      `BIND_ADDRESS: sign-in is off, so ${config.bindAddress} would be open to everybody; turn sign-in on first, or set ALLOW_OPEN=true`,
    )
  }
  const app = await createApp({ core, secret, pages: pagesFolder })
  claim.keep()
  // The core is closed with the app.
  const resources = cleanup.move()
  return {
    app,
    async close() {
      await app.close()
      await resources.disposeAsync()
    },
  }
}

/** Opens a process that works on the jobs of others, and answers nobody. */
export async function openWorker(config: Config, log: Log): Promise<{ close(): Promise<void> }> {
  if (config.databaseUrl === undefined)
    throw new OperatorError('DATABASE_URL: is needed: workers share their jobs by PostgreSQL')
  await using cleanup = new AsyncDisposableStack()
  const { core, claim } = await openCore(config, { log, timers: systemTimers, cleanup })
  await core.workers.start(Math.max(1, core.workerCount()))
  claim.keep()
  const resources = cleanup.move()
  return {
    async close() {
      await core.close()
      await resources.disposeAsync()
    },
  }
}

interface Surroundings {
  readonly log: Log
  readonly timers: Timers
  readonly cleanup: AsyncDisposableStack
}

interface OpenedCore {
  readonly core: Core
  readonly secret: Uint8Array
  readonly claim: DataDirectoryClaim
}

async function openCore(config: Config, around: Surroundings): Promise<OpenedCore> {
  const { log, timers, cleanup } = around
  checkPlaces(config)
  const claim = cleanup.use(claimDataDirectory(config.dataDirectory))
  const { database, sealer, secret } = await openStorage({ ...config, warn: (message) => log.warn(message) })
  cleanup.defer(() => database.close())
  // A server's database knows the key from now on.
  if (database.kind === 'postgres') claim.keep()
  const db = database.query
  const messages = await openMessages(config, around, () => firstQueued(db))
  const core = await createCore({ config, log, timers, database, sealer, ...messages })
  // Whoever else worked on this database is gone: its file is ours alone.
  if (database.kind === 'sqlite') await core.workers.recover(true)
  return { core, secret, claim }
}

/** How processes tell each other of jobs and events. */
async function openMessages(config: Config, { log, cleanup }: Surroundings, first: () => Promise<Ticket | undefined>) {
  const url = config.databaseUrl
  if (url === undefined) {
    const bus = createLocalBus<MediaEvent>()
    cleanup.defer(() => bus.close())
    return { bus, queue: createLocalQueue({ first, log }) }
  }
  const pool = new Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5000 })
  // A connection that the server ends must not end the process; the next query opens another.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  cleanup.defer(() => pool.end())
  const names = { channel: 'hearth_media_events', sequence: 'media_event_seq' }
  const bus = await openPostgresBus<MediaEvent>({ url, pool, log, ...names, shorten: shortenEvent })
  cleanup.defer(() => bus.close())
  return { bus, queue: await openGraphileQueue({ pool, log }) }
}

const isLoopback = (address: string): boolean => /^127\.|^::1$/.test(address)
