import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase, type DatabaseLocation } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { JobSort } from './schema.ts'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { finishedJob } from '../../test/job-row.ts'
import { migrations } from '../database/migrations/index.ts'
import type { JobRow, Tables } from '../tables.ts'
import { statusAfter, type JobStep } from './job-machine.ts'
import { JobStatus } from './schema.ts'
import {
  advanceJob,
  findDuplicate,
  findJob,
  findLost,
  firstQueued,
  insertJob,
  listJobs,
  noteOnJob,
  renewLease,
} from './store.ts'

/** The steps allowed in each state, written down by hand. */
const allowed: Record<JobStep, string> = {
  claimed: 'queued',
  'download-begun': 'processing',
  'transcode-begun': 'downloading',
  'analysis-begun': 'downloading transcoding',
  analysed: 'analysis',
  'analysed-again': 'done analysis_done',
  'analysis-postponed': 'analysis',
  finished: 'downloading transcoding analysis',
  failed: 'processing downloading transcoding',
  cancelled: 'queued processing downloading transcoding analysis',
  'handed-back': 'processing downloading transcoding',
  lost: 'processing downloading transcoding analysis',
  retried: 'error cancelled',
}

/** A job in the line of which nothing is known yet. */
const jobRow = (more: Partial<JobRow> = {}): JobRow =>
  finishedJob({
    status: 'queued',
    finished_at: null,
    filesize_bytes: null,
    duration_ms: null,
    codec: null,
    bitrate_kbps: null,
    artifact: null,
    ...more,
  })

async function onDatabase(location: DatabaseLocation, name: string): Promise<void> {
  const database = openDatabase<Tables>(location)
  await migrate(database.query, migrations)
  const db = database.query

  await test(`${name}: every transition of every state matches the table`, async () => {
    for (const [step, good] of Object.entries(allowed) as [JobStep, string][]) {
      for (const status of JobStatus.options) {
        const row = jobRow({ status, media_key: `${step} ${status}` })
        await insertJob(db, row)
        const after = await advanceJob(db, { id: row.id, step, attempt: 1, values: { message: 'changed' } })
        if (good.split(' ').includes(status)) {
          assert.deepEqual({ ...after }, { ...row, status: statusAfter(step), message: 'changed' })
        } else assert.equal(after, undefined)
        const stored = await findJob(db, row.id)
        assert.deepEqual({ ...stored }, { ...(after ?? row) }, `${step} in ${status}`)
      }
    }
  })

  await test(`${name}: a worker of a finished attempt writes nothing`, async () => {
    const row = jobRow({ status: 'downloading', attempt: 3 })
    await insertJob(db, row)
    for (const attempt of [2, 4]) {
      assert.equal(await advanceJob(db, { id: row.id, step: 'finished', attempt }), undefined)
      assert.equal(await noteOnJob(db, { id: row.id, attempt, values: { video_title: 'late' } }), undefined)
      assert.equal(await renewLease(db, { id: row.id, attempt, until: 5 }), false)
    }
    assert.deepEqual({ ...(await findJob(db, row.id)) }, row)
    assert.equal(await renewLease(db, { id: row.id, attempt: 3, until: 5 }), true)
  })

  await test(`${name}: of twenty simultaneous transitions one succeeds`, async () => {
    const row = jobRow()
    await insertJob(db, row)
    const all = await Promise.all(
      Array.from({ length: 20 }, () => advanceJob(db, { id: row.id, step: 'claimed', attempt: 1 })),
    )
    assert.equal(all.filter((one) => one !== undefined).length, 1)
  })

  await test(`${name}: lists, the queue, duplicates and lost jobs are correct`, async () => {
    await db.deleteFrom('jobs').execute()
    const [a, b, c] = [
      jobRow({ created_at: 10, queued_at: 30 }),
      jobRow({ created_at: 20, queued_at: 20 }),
      jobRow({ created_at: 30, queued_at: 5, status: 'error', media_key: 'other' }),
    ]
    for (const row of [a, b, c]) await insertJob(db, row)
    assert.deepEqual(
      (await listJobs(db, { offset: 0, limit: 2 })).map(({ id }) => id),
      [c.id, b.id],
    )
    assert.deepEqual(
      (await listJobs(db, { offset: 2, limit: 2 })).map(({ id }) => id),
      [a.id],
    )
    await sortsJobs(db)
    assert.equal((await firstQueued(db, 0))?.id, b.id)
    assert.equal((await findDuplicate(db, a))?.id, b.id)
    assert.equal(await findDuplicate(db, c), undefined)
    await advanceJob(db, { id: a.id, step: 'claimed', values: { lease_until: 100 } })
    await advanceJob(db, { id: b.id, step: 'claimed', values: { lease_until: 200 } })
    assert.deepEqual(
      (await findLost(db, 150)).map(({ id }) => id),
      [a.id],
    )
  })

  await database.close()
}

/** Sorting of the list: by a value, then the newest first; what has none comes last either way. */
async function sortsJobs(db: Kysely<Tables>): Promise<void> {
  const others = await db.selectFrom('jobs').selectAll().execute()
  await db.deleteFrom('jobs').execute()
  const rows = [
    jobRow({ created_at: 1, video_title: 'beta', bpm: 90, musical_key: 15, loudness_lufs: -9.5 }),
    jobRow({ created_at: 2, video_title: 'Alpha', bpm: 128, musical_key: 0, loudness_lufs: -14 }),
    jobRow({ created_at: 3, video_title: null }),
    jobRow({ created_at: 4, video_title: 'gamma', bpm: 90, musical_key: 14, loudness_lufs: -23.1 }),
  ]
  for (const row of rows) await insertJob(db, row)
  const sorted = async (sort: JobSort, order?: 'asc' | 'desc') =>
    (await listJobs(db, { sort, order, offset: 0, limit: 9 })).map(({ created_at }) => created_at)
  assert.deepEqual(await sorted('created'), [4, 3, 2, 1])
  assert.deepEqual(await sorted('created', 'asc'), [1, 2, 3, 4])
  assert.deepEqual(await sorted('title'), [2, 1, 4, 3])
  assert.deepEqual(await sorted('bpm'), [4, 1, 2, 3])
  assert.deepEqual(await sorted('bpm', 'desc'), [2, 4, 1, 3])
  assert.deepEqual(await sorted('key'), [2, 4, 1, 3])
  assert.deepEqual(await sorted('loudness', 'desc'), [1, 2, 4, 3])
  await db.deleteFrom('jobs').execute()
  for (const row of others) await insertJob(db, row)
}

test('on SQLite', () => onDatabase({ file: ':memory:' }, 'SQLite'))
const obstacle = postgresObstacle()
test('on PostgreSQL', { skip: obstacle }, async () => onDatabase({ url: await createPostgresDatabase() }, 'PostgreSQL'))
