import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { MediaEvent } from '../src/events.ts'
import type { Info } from '../src/info/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

let platform: Platform
let media: Media
before(async () => {
  platform = await startPlatform()
  media = await startMedia(knows(platform.host))
})
after(async () => {
  await media[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const ask = (url: string) => media.json<Info & { detail?: string }>('GET', `/api/info?url=${encodeURIComponent(url)}`)

test('media information from the platform is shown and cached for five minutes', async () => {
  const url = platform.page('hls/index.m3u8', { title: 'Known' })
  const { status, body } = await ask(url)
  assert.deepEqual([status, body.unavailable, body.platform], [200, false, 'youtube'])
  assert.match(body.title ?? '', /^Known/)
  assert.ok(body.formats.length >= 1 && body.formats.length <= 20 && body.formats_total >= body.formats.length)
  for (const format of body.formats) assert.match(format.resolution, /^(?:\d+p|\d+kbps|video|audio)$/)
  const pages = () => platform.requests.filter((line) => line.startsWith('GET /watch')).length
  const asked = pages()
  assert.deepEqual((await ask(url)).body, body)
  const { id } = await media.submit(url)
  assert.equal(pages(), asked)
  await media.reach(id, 'analysis_done')
  // The download goes on from what was said, and does not ask again.
  assert.equal(pages(), asked)
})

test('missing media information is not an error and is requested again next time', async () => {
  const url = `${platform.page('video.mp4')}&gone=1`.replace('/watch', '/nothing')
  const { status, body } = await ask(url)
  assert.deepEqual([status, body.unavailable, body.title, body.formats], [200, true, null, []])
  const before = platform.requests.length
  await ask(url)
  assert.ok(platform.requests.length > before)
})

test('an invalid URL is refused with the reason', async () => {
  for (const url of ['', 'x', 'https://example.org/watch', 'ftp://www.youtube.com/watch?v=aaaaaaaaaaa']) {
    const { status, body } = await ask(url)
    assert.deepEqual([status, typeof body.detail], [400, 'string'], url)
  }
  assert.equal((await media.call('GET', '/api/info')).status, 400)
})

test('a job is created without media information and then reports the failure', async () => {
  const url = `http://${platform.host}/nothing`
  const job = await media.submit(url)
  assert.deepEqual([job.video_title, job.duration_seconds, job.status], [null, null, 'queued'])
  assert.match((await media.reach(job.id, 'error')).message ?? '', /not there/)
})

test('a title that the platform says only to the download is shown while the download runs', async () => {
  const events: MediaEvent[] = []
  using stack = new DisposableStack()
  stack.defer(media.service.app.core.bus.subscribe((event) => void events.push(event)))
  const { id, video_title: early } = await media.submit(
    platform.page('sound.m4a', { title: 'Late', id: 'late', isLate: true, pace: 'held' }),
  )
  assert.equal(early, null)
  const event = await eventually(
    () => events.find((one) => 'id' in one && one.id === id && one.video_title !== undefined),
    (found) => found !== undefined,
    { what: 'an event with the title' },
  )
  assert.ok(event !== undefined && 'id' in event)
  assert.deepEqual([event.status, event.video_title], ['downloading', 'Late (1)'])
  assert.equal((await media.reach(id, 'downloading')).video_title, 'Late (1)')
  await eventually(
    () => platform.waiting,
    (count) => count > 0,
  )
  platform.release()
  await media.reach(id, 'analysis_done')
})
