import { randomUUID } from 'node:crypto'
import type { DatabaseLocation } from '@hearth/database'
import { createLocalBus } from '@hearth/events'
import { createFastTimers, createLog } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import type { MediaEvent } from '../src/events.ts'
import { MediaIntake, type IntakeDependencies, type Wanted } from '../src/intake/intake.ts'
import { PlatformPauses } from '../src/pauses/platform-pauses.ts'
import type { Queue } from '../src/queue/queue.ts'
import type { Settings } from '../src/settings/schema.ts'
import type { FollowedListRow } from '../src/tables.ts'
import { openTables } from './job-row.ts'

/** A database that a test runs on. */
export interface Where {
  readonly name: string
  readonly skip: string | false
  readonly createLocation: () => Promise<DatabaseLocation>
}

/** Both databases of the service. */
export const bothDatabases: readonly Where[] = [
  { name: 'SQLite', skip: false, createLocation: () => Promise.resolve({ file: ':memory:' }) },
  {
    name: 'PostgreSQL',
    skip: postgresObstacle(),
    createLocation: async () => ({ url: await createPostgresDatabase() }),
  },
]

/** A queue whose jobs no worker takes. */
const idleQueue: Queue = {
  enqueue: () => Promise.resolve(),
  wake: () => undefined,
  remind: () => Promise.resolve(),
  start: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

/** A medium of YouTube to take in. */
export const wanted = (id: string, more: Partial<Wanted> = {}): Wanted => ({
  media: {
    platform: 'youtube',
    url: `https://www.youtube.com/watch?v=${id}`,
    key: `youtube:${id}`,
    isShortLink: false,
    isExtra: false,
  },
  title: null,
  type: 'audio',
  quality: 'max',
  listId: null,
  ...more,
})

/** A list that is followed every six hours and due. */
export const followedList = (more: Partial<FollowedListRow> = {}): FollowedListRow => ({
  id: randomUUID(),
  list_key: 'youtube:list',
  url: 'https://www.youtube.com/playlist?list=PLaaaaaaaaaaaaaaaa',
  platform: 'youtube',
  title: null,
  type: 'audio',
  quality: 'max',
  every_minutes: 360,
  newer_than: null,
  min_seconds: null,
  title_has: null,
  takes_present: 0,
  is_enabled: 1,
  is_begun: 1,
  next_at: 0,
  lease_until: null,
  failures: 0,
  checked_at: null,
  error_code: null,
  message: null,
  created_at: 0,
  ...more,
})

/** An intake on a database of its own, with nothing that works on its jobs. */
export async function openIntake(location: DatabaseLocation, more: Partial<IntakeDependencies> = {}) {
  const database = await openTables(location)
  const timers = createFastTimers(1)
  const bus = createLocalBus<MediaEvent>()
  const log = createLog({ name: 'test', level: 'silent' })
  const pauses = new PlatformPauses({ db: database.query, bus, timers, onOpened: () => undefined })
  const pace = { list_spacing_seconds: 0 }
  const intake = new MediaIntake({
    database,
    queue: idleQueue,
    bus,
    timers,
    log,
    settings: () => ({ ...pace, name_template_audio: '{title}', name_template_video: '{title}' }) as Settings,
    pauses,
    queueSize: 100,
    hasSpace: () => Promise.resolve(true),
    ...more,
  })
  return {
    database,
    timers,
    bus,
    log,
    pauses,
    pace,
    intake,
    add: (...media: Wanted[]) => database.query.transaction().execute((trx) => intake.add(trx, media)),
    /** Looks for room once, and returns the media that are jobs then. */
    async feed(): Promise<string[]> {
      intake.start()
      await intake.close()
      const rows = await database.query.selectFrom('jobs').select('media_key').orderBy('media_key').execute()
      return rows.map(({ media_key }) => media_key)
    },
    [Symbol.asyncDispose]: () => database.close(),
  }
}
