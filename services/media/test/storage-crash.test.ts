import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createRandom, eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import type { StorageUsage } from '../src/space/schema.ts'
import { checkStored } from './crashes.ts'
import { knows } from './in-process.ts'
import { openCaller } from './open-caller.ts'
import { startPlatform } from './platform/platform.ts'

/** What was there before files went. */
interface Before {
  readonly data: string
  readonly files: number
  readonly evictions: number
}

const countFiles = (data: string): number =>
  readdirSync(join(data, 'artifacts'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length

function countEvictions(data: string): number {
  using database = new DatabaseSync(join(data, 'media.db'), { readOnly: true })
  return Number(database.prepare('select count(*) as count from evictions').get()?.['count'])
}

const soon = { seconds: 30, everyMs: 1 }

/** Moments at which the service is killed, by what can be seen of them. */
const moments: Readonly<Record<string, (before: Before) => Promise<unknown>>> = {
  'when the budget was answered': () => Promise.resolve(),
  'when downloads have lost their files': ({ data, evictions }) =>
    eventually(
      () => Promise.resolve(countEvictions(data)),
      (count) => count > evictions,
      soon,
    ),
  'when the first file is deleted': ({ data, files }) =>
    eventually(
      () => Promise.resolve(countFiles(data)),
      (count) => count < files,
      soon,
    ),
}

test('killed while files go to make room, the service promises no file that is gone and keeps no stray one', async () => {
  await using platform = await startPlatform()
  await using folder = await temporaryDirectory()
  const data = join(folder.path, 'data')
  const random = createRandom(3)
  const start = () => startServiceProcess('media', { ...knows(platform.host), DATA_DIR: data, LOG_LEVEL: 'fatal' })
  let service = await start()
  let gone = 0
  try {
    for (const [moment, reach] of Object.entries(moments)) {
      const send = await openCaller(service.url)
      const jobs = async () => (await send<Job[]>('GET', '/api/jobs?limit=100')).body
      const usage = async () => (await send<StorageUsage>('GET', '/api/storage')).body
      for (const media of ['sound.m4a', 'sound.opus', 'video.mp4', 'sound.m4a']) {
        const url = platform.page(media, { id: `${moment} ${random()}` })
        const type = media === 'video.mp4' ? 'video' : 'audio'
        assert.equal((await send('POST', '/api/submit', { url, type, quality: 'max' })).status, 200)
      }
      const before = await eventually(
        jobs,
        (all) => all.every(({ status }) => ['done', 'analysis_done'].includes(status)),
        { seconds: 90, everyMs: 200 },
      )
      const { used_bytes: used } = await usage()
      const state = { data, files: countFiles(data), evictions: countEvictions(data) }
      await send('POST', '/api/settings', { json: { storage_budget_bytes: Math.floor(used * random()) + 1 } })
      await reach(state)
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
