import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLocalBus } from '@hearth/events'
import { createLog, systemTimers } from '@hearth/runtime'
import { createPostgresDatabase, eventually, postgresObstacle } from '@hearth/testing'
import { Pool } from 'pg'
import { finishedJob } from '../../test/job-row.ts'
import { migrations } from '../database/migrations/index.ts'
import type { MediaEvent } from '../events.ts'
import { findJob, insertJob } from '../jobs/store.ts'
import { Workers } from '../jobs/workers.ts'
import { PlatformPauses } from '../pauses/platform-pauses.ts'
import type { Tables } from '../tables.ts'
import { openGraphileQueue } from './graphile-queue.ts'

/** Ways for a message to be lost, as statements about the message with the key `$1`. */
const losses = {
  'a worker took it and was killed':
    "update graphile_worker._private_jobs set locked_at = now() - interval '1 hour', locked_by = 'gone' where key = $1",
  'a worker that was stopping took it': 'delete from graphile_worker._private_jobs where key = $1',
  'it failed too often': 'update graphile_worker._private_jobs set attempts = max_attempts where key = $1',
}

test('a queued job whose message was lost is started by another worker', { skip: postgresObstacle() }, async () => {
  const url = await createPostgresDatabase()
  await using resources = new AsyncDisposableStack()
  const database = resources.adopt(openDatabase<Tables>({ url }), (opened) => opened.close())
  const db = database.query
  await migrate(db, migrations)
  const pool = resources.adopt(new Pool({ connectionString: url }), (opened) => opened.end())
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const log = createLog({ name: 'test', level: 'silent' })
  const queue = await openGraphileQueue({ pool, log })
  const ids: string[] = []
  for (const statement of ['', ...Object.values(losses)]) {
    const job = finishedJob({ status: 'queued', finished_at: null, artifact: null, attempt: 1 })
    await insertJob(db, job)
    await queue.enqueue(db, job)
    if (statement !== '') assert.equal((await pool.query(statement, [`${job.id}:1`])).rowCount, 1, statement)
    ids.push(job.id)
  }
  const bus = createLocalBus<MediaEvent>()
  const workers = new Workers({
    db,
    queue,
    bus,
    timers: systemTimers,
    log,
    lease: 2000,
    pauses: new PlatformPauses({ db, bus, timers: systemTimers, onOpened: () => undefined }),
    failures: { prepare: () => Promise.resolve(() => Promise.resolve()) },
    discard: () => Promise.resolve(),
    run: async (_job, handle) => {
      await handle.advance('download-begun')
      await new Promise((resolve) => handle.signal.addEventListener('abort', resolve))
      handle.signal.throwIfAborted()
    },
  })
  await workers.start(ids.length)
  resources.defer(() => workers.close())
  const statuses = () => Promise.all(ids.map(async (id) => (await findJob(db, id))?.status))
  await eventually(statuses, (all) => all.every((status) => status === 'downloading'), { seconds: 30 })
})
