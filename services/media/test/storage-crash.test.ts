import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createRandom, eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import type { StorageUsage } from '../src/space/schema.ts'
import { checkStored } from './crashes.ts'
import { knows } from './in-process.ts'
import { openCaller } from './open-caller.ts'
import { startPlatform } from './platform/platform.ts'

test('killed while files go to make room, the service promises no file that is gone and keeps no stray one', async () => {
  await using platform = await startPlatform()
  await using folder = await temporaryDirectory()
  const data = join(folder.path, 'data')
  const random = createRandom(3)
  const start = () => startServiceProcess('media', { ...knows(platform.host), DATA_DIR: data, LOG_LEVEL: 'fatal' })
  let service = await start()
  let gone = 0
  try {
    for (let round = 0; round < 3; round += 1) {
      const send = await openCaller(service.url)
      const jobs = async () => (await send<Job[]>('GET', '/api/jobs?limit=100')).body
      const usage = async () => (await send<StorageUsage>('GET', '/api/storage')).body
      for (const media of ['sound.m4a', 'sound.opus', 'video.mp4', 'sound.m4a']) {
        const url = platform.page(media, { id: `${round} ${random()}` })
        const type = media === 'video.mp4' ? 'video' : 'audio'
        assert.equal((await send('POST', '/api/submit', { url, type, quality: 'max' })).status, 200)
      }
      const before = await eventually(
        jobs,
        (all) => all.every(({ status }) => ['done', 'analysis_done'].includes(status)),
        { seconds: 90, everyMs: 200 },
      )
      const { used_bytes: used } = await usage()
      await send('POST', '/api/settings', { json: { storage_budget_bytes: Math.floor(used * random()) + 1 } })
      // At any moment of what begins now.
      await new Promise((resolve) => setTimeout(resolve, random() * 40))
      await service.kill()
      service = await start()
      const again = await openCaller(service.url)
      const { body: after } = await again<Job[]>('GET', '/api/jobs?limit=100')
      assert.equal(after.length, before.length)
      await again('POST', '/api/settings', { json: { storage_budget_bytes: 0 } })
      const kept = (await again<Job[]>('GET', '/api/jobs?limit=100')).body.filter(({ filename }) => filename !== null)
      for (const { id } of kept) assert.equal((await again('GET', `/download/${id}?format=original`)).status, 200)
      await service.kill()
      service = await start()
      const last = await openCaller(service.url)
      const left = (await last<Job[]>('GET', '/api/jobs?limit=100')).body.filter(({ filename }) => filename !== null)
      await checkStored(
        data,
        left.map(({ id }) => id),
      )
      gone += before.length - left.length
    }
  } finally {
    await service.kill()
  }
  assert.ok(gone > 0, 'something went')
})
