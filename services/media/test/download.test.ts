import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../src/jobs/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

test('an address goes in, the tempo is found, and the file comes out', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  const submitted = await media.submit(platform.page('video.mp4', { title: 'Beat & more' }))
  assert.equal(submitted.status, 'queued')
  const job: Job = await media.reach(submitted.id, 'analysis_done')
  console.log(job)
  const file = await media.call('GET', `/download/${job.id}`)
  console.log(file.status, file.headers, (await file.arrayBuffer()).byteLength)
})
