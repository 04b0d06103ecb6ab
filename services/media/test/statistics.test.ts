import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../src/jobs/schema.ts'
import type { Statistics, TempoClusters } from '../src/statistics/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { finishedJob } from './job-row.ts'
import { startPlatform } from './platform/platform.ts'

test('downloads are counted until the statistics are reset', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  const { id } = await media.submit(platform.page('sound.m4a'))
  const job = await media.reach(id, 'analysis_done')
  const today = new Date().toISOString().slice(0, 10)

  const { body: figures } = await media.json<Statistics>('GET', '/api/stats')
  assert.deepEqual(
    { ...figures, by_day: figures.by_day.filter(({ jobs }) => jobs > 0) },
    {
      total_jobs: 1,
      total_minutes: 0.2,
      total_bytes: job.filesize_bytes,
      total_stem_minutes: 0,
      since: null,
      by_platform: [{ platform: 'youtube', jobs: 1, bytes: job.filesize_bytes, failed: 0 }],
      by_day: [{ day: today, jobs: 1, bytes: job.filesize_bytes }],
    },
  )
  const { query } = media.service.app.core.database
  for (let index = 0; index < 3; index += 1)
    await query
      .insertInto('jobs')
      .values(finishedJob({ bpm: 128, finished_at: Date.now() }))
      .execute()
  const clusters = (limit: string) => media.json<TempoClusters>('GET', `/api/stats/bpm-clusters${limit}`)
  assert.deepEqual(await clusters(''), {
    status: 200,
    body: [
      { bpm: 130, count: 3 },
      { bpm: 120, count: 1 },
    ],
  })
  assert.deepEqual((await clusters('?limit=2')).body, [{ bpm: 130, count: 2 }])
  assert.equal((await clusters('?limit=2000')).status, 200)
  for (const limit of ['0', '2001', '1.5', 'all', ''])
    assert.equal((await clusters(`?limit=${limit}`)).status, 400, limit)

  assert.equal((await media.call('POST', '/api/stats/reset', { isBare: true })).status, 403)
  const reset = await media.json<{ ok: boolean; message: string }>('POST', '/api/stats/reset')
  assert.deepEqual([reset.status, reset.body.ok, typeof reset.body.message], [200, true, 'string'])
  const { body: anew } = await media.json<Statistics>('GET', '/api/stats')
  assert.deepEqual([anew.total_jobs, anew.by_platform, (await clusters('')).body], [0, [], []])
  assert.ok(Math.abs(Date.parse(anew.since ?? '') - Date.now()) < 60_000)
  // The jobs are all still there, and the marker outlives a restart.
  assert.equal((await media.json<Job[]>('GET', '/api/jobs')).body.length, 4)
  await media.restart()
  assert.equal((await media.json<Statistics>('GET', '/api/stats')).body.since, anew.since)
})
