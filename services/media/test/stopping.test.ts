import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import { knows } from './in-process.ts'
import { openCaller, type Send } from './open-caller.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

/** Submits so many jobs whose download stops half-way, and waits until all of them run. */
async function startDownloads(send: Send, platform: Platform, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const url = platform.page('sound.m4a', { pace: 'held', id: `${index}` })
    const { status, body } = await send('POST', '/api/submit', { url, type: 'audio', quality: 'max' })
    assert.equal(status, 200, JSON.stringify(body))
  }
  await reach(send, 'downloading')
}

/** Waits until every job has the status. */
const reach = (send: Send, status: Job['status']): Promise<Job[]> =>
  eventually(
    async () => (await send<Job[]>('GET', '/api/jobs')).body,
    (jobs) => jobs.every((job) => job.status === status),
    { seconds: 90, everyMs: 250, what: `${status} of all jobs` },
  )

test('a service stopped with running and waiting downloads exits with 0, and the next start continues them', async () => {
  await using platform = await startPlatform()
  await using folder = await temporaryDirectory()
  const environment = { ...knows(platform.host), DATA_DIR: join(folder.path, 'data'), WORKERS: '3' }
  // A job that loses its worker twice in a row is given up; a stop does not count.
  for (let round = 0; round < 3; round++) {
    await using service = await startServiceProcess('media', environment)
    const send = await openCaller(service.url)
    if (round === 0) await startDownloads(send, platform, 3)
    else await reach(send, 'downloading')
    assert.equal(await service.stop(), 0)
  }
  await using service = await startServiceProcess('media', environment)
  const send = await openCaller(service.url)
  await reach(send, 'downloading')
  await eventually(
    () => platform.waiting,
    (count) => count === 3,
    { seconds: 60, what: 'three downloads half-way' },
  )
  platform.release()
  const jobs = await reach(send, 'analysis_done')
  assert.equal(jobs.length, 3)
})
