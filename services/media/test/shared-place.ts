import { join } from 'node:path'
import { startPostgres, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { knows } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

/** A platform, and a PostgreSQL and a storage that several processes of the service share. */
export interface SharedPlace extends AsyncDisposable {
  readonly platform: Platform
  /** Starts a process with one worker and a data directory of that name. */
  start(name: string): ReturnType<typeof startServiceProcess>
}

/** Opens the place; the processes in it are ended by whoever starts them. */
export async function openSharedPlace(): Promise<SharedPlace> {
  await using made = new AsyncDisposableStack()
  const postgres = made.use(await startPostgres())
  const platform = made.use(await startPlatform())
  const folder = made.use(await temporaryDirectory())
  const shared = {
    ...knows(platform.host),
    DATABASE_URL: await postgres.createDatabase(),
    ARTIFACTS: join(folder.path, 'artifacts'),
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    LOG_LEVEL: 'error',
    WORKERS: '1',
  }
  const all = made.move()
  return {
    platform,
    start: (name) => startServiceProcess('media', { ...shared, DATA_DIR: join(folder.path, name) }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
