import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPostgresDatabase, onlyOne, postgresObstacle, concurrentStatuses } from '@hearth/testing'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

async function hold(media: Media, platform: Platform): Promise<void> {
  const form = { url: platform.page('video.mp4'), type: 'audio', quality: 'max' }
  const submitted = await concurrentStatuses(() => media.call('POST', '/api/submit', { form }))
  assert.deepEqual(submitted, onlyOne(200), 'a job for one video')
  const jobs = (await media.json<{ id: string }[]>('GET', '/api/jobs')).body
  assert.equal(jobs.length, 1)
  const id = jobs[0]?.id ?? ''
  await media.reach(id, 'done', 'analysis_done')
  const cut = await concurrentStatuses(() => media.call('POST', `/api/trim/${id}`, { json: { start: 0, end: 1 } }))
  assert.ok(
    cut.includes(200) && cut.every((status) => status === 200 || status === 409),
    `a part cut twice: ${cut.join()}`,
  )
  const links = await Promise.all(
    Array.from({ length: 8 }, async () => (await media.json<{ url: string }>('POST', `/api/share/${id}`)).body.url),
  )
  assert.equal(new Set(links).size, 1, 'one link while it is as good as a new one')
}

test('eight simultaneous creations leave one item, on SQLite', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  await hold(media, platform)
})

test('eight simultaneous creations leave one item, on PostgreSQL', { skip: postgresObstacle() }, async () => {
  await using platform = await startPlatform()
  await using media = await startMedia({ ...knows(platform.host), DATABASE_URL: await createPostgresDatabase() })
  await hold(media, platform)
})
