import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

let platform: Platform
let media: Media

before(async () => {
  platform = await startPlatform()
  media = await startMedia({ ...knows(platform.host), WORKERS: '2', QUEUE_SIZE: '3' })
})
after(async () => {
  await media[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

interface ErrorAnswer {
  detail: string
  existing_job?: Job
}

const held = (id: string) => platform.page('video.mp4', { pace: 'held', id })
const refused = (path: string) => media.json<ErrorAnswer>('POST', path)

/** Command lines of yt-dlp that work for this service. */
const tools = () =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('yt-dlp') && line.includes(media.folder))

test('an invalid submission is refused, and the error names the field', async () => {
  const good = { url: platform.page('video.mp4'), type: 'audio', quality: 'max' }
  const cases: [Record<string, string>, RegExp][] = [
    [{ ...good, type: 'film' }, /type must be one of audio, video/],
    [{ ...good, quality: 'best' }, /quality must be one of max, medium, small/],
    [{ type: 'audio', quality: 'max' }, /url is missing/],
    [{ ...good, url: 'not an address' }, /url/],
    [{ ...good, url: 'http://www.youtube.com/watch?v=aaaaaaaaaaa' }, /https/],
    [{ ...good, url: 'https://user:secret@www.youtube.com/watch?v=aaaaaaaaaaa' }, /user name or password/],
    [{ ...good, url: 'https://www.youtube.com:8443/watch?v=aaaaaaaaaaa' }, /port/],
    [{ ...good, url: 'https://example.org/watch?v=aaaaaaaaaaa' }, /platform/],
    [{ ...good, url: 'https://127.0.0.1/watch' }, /platform|host|address/],
    [{ ...good, url: `https://www.youtube.com/watch?v=${'a'.repeat(2050)}` }, /2048/],
  ]
  for (const [form, detail] of cases) {
    const { status, body } = await media.json<ErrorAnswer>('POST', '/api/submit', { form })
    assert.deepEqual([status, Object.keys(body).includes('detail')], [400, true], JSON.stringify(body))
    assert.match(body.detail, detail)
    assert.doesNotMatch(body.detail, /secret/)
  }
  assert.deepEqual((await media.json('GET', '/api/jobs')).body, [])
})

test('a running job stops with all its processes, can be retried in place, and then completes', async () => {
  const { id } = await media.submit(held('stop'))
  await media.reach(id, 'downloading')
  await eventually(tools, (lines) => lines.length > 0)
  const { status, body } = await media.json<Job>('POST', `/api/jobs/${id}/cancel`)
  assert.deepEqual([status, body.status, body.message], [200, 'cancelled', 'Cancelled'])
  await eventually(tools, (lines) => lines.length === 0)
  await eventually(
    () => readdir(join(media.folder, 'work')),
    (names) => names.length === 0,
  )
  assert.equal((await refused(`/api/jobs/${id}/cancel`)).status, 400)
  const retried = await media.json<Job>('POST', `/api/jobs/${id}/retry`)
  assert.deepEqual([retried.status, retried.body.status, retried.body.created_at], [200, 'queued', body.created_at])
  assert.deepEqual([retried.body.message, retried.body.finished_at, retried.body.codec], ['', null, null])
  await media.reach(id, 'downloading')
  assert.equal((await refused(`/api/jobs/${id}/retry`)).status, 400)
  platform.release()
  await eventually(
    () => {
      platform.release()
      return media.json<Job>('GET', `/api/jobs/${id}`)
    },
    ({ body: job }) => job.status === 'analysis_done',
    { seconds: 30 },
  )
  assert.equal((await refused(`/api/jobs/${id}/retry`)).status, 400)
})

test('the same media are not downloaded twice unless requested, in any URL form', async () => {
  const url = platform.page('sound.m4a', { id: 'twice' })
  const first = await media.submit(url)
  const again = await media.json<ErrorAnswer>('POST', '/api/submit', { form: { url, type: 'AUDIO', quality: 'max' } })
  assert.deepEqual([again.status, again.body.detail, again.body.existing_job?.id], [409, 'duplicate_job', first.id])
  await media.reach(first.id, 'analysis_done')
  const form = { url, type: 'audio', quality: 'max' }
  assert.equal((await media.json('POST', '/api/submit', { form })).status, 409)
  const wanted = await media.json<Job>('POST', '/api/submit', { form: { ...form, confirm_duplicate: 'true' } })
  assert.equal(wanted.status, 200)
  assert.notEqual(wanted.body.id, first.id)
  const other = await media.json('POST', '/api/submit', { form: { ...form, type: 'video' } })
  assert.equal(other.status, 200)
  await media.reach(wanted.body.id, 'analysis_done')
})

test('the tempo can be set by hand, for finished audio only', async () => {
  const { id } = await media.submit(platform.page('sound.m4a', { id: 'tempo' }))
  const job = await media.reach(id, 'analysis_done')
  assert.equal(job.bpm, 120)
  const set = await media.json<Job>('POST', `/api/jobs/${id}/tempo`, { json: { bpm: 60 } })
  assert.deepEqual([set.status, set.body.bpm, set.body.bpm_confidence], [200, 60, 1])
  assert.match(set.body.filename ?? '', /_60bpm\.mp3$/)
  for (const bpm of [19, 401, 100.5, 'x'])
    assert.equal((await media.call('POST', `/api/jobs/${id}/tempo`, { json: { bpm } })).status, 400)
  const video = (await media.json<Job[]>('GET', '/api/jobs')).body.find(({ type }) => type === 'video')
  assert.equal((await media.call('POST', `/api/jobs/${video?.id}/tempo`, { json: { bpm: 60 } })).status, 400)
})

test('the list is newest first and paged; invalid queries are refused', async () => {
  const all = (await media.json<Job[]>('GET', '/api/jobs')).body
  assert.ok(all.length >= 4)
  const page = (await media.json<Job[]>('GET', '/api/jobs?offset=1&limit=2')).body
  assert.deepEqual(
    page.map(({ id }) => id),
    all.slice(1, 3).map(({ id }) => id),
  )
  for (const query of ['limit=0', 'limit=101', 'offset=-1', 'limit=x'])
    assert.equal((await media.call('GET', `/api/jobs?${query}`)).status, 400, query)
  for (const id of ['nothing', '00000000-0000-4000-8000-000000000000'])
    assert.equal((await media.call('GET', `/api/jobs/${id}`)).status, 404, id)
})

test('a full queue refuses with 503 and creates no job; a waiting job can be cancelled', async () => {
  const running = await Promise.all([media.submit(held('w1')), media.submit(held('w2'))])
  for (const { id } of running) await media.reach(id, 'downloading')
  const waiting: Job[] = []
  for (const name of ['q1', 'q2', 'q3']) waiting.push(await media.submit(held(name)))
  const before = (await media.json<Job[]>('GET', '/api/jobs')).body.length
  const form = { url: held('q4'), type: 'audio', quality: 'max' }
  const full = await media.json<ErrorAnswer>('POST', '/api/submit', { form })
  assert.deepEqual([full.status, /queue is full/.test(full.body.detail)], [503, true])
  assert.equal((await media.json<Job[]>('GET', '/api/jobs')).body.length, before)
  assert.equal((await media.json<Job>('POST', `/api/jobs/${waiting[0]?.id}/cancel`)).body.status, 'cancelled')
  assert.equal((await media.json('POST', '/api/submit', { form })).status, 200)
  const retry = await refused(`/api/jobs/${waiting[0]?.id}/retry`)
  assert.equal(retry.status, 503)
})

test('removing all ends running jobs and leaves no rows, files or tools', async () => {
  const before = (await media.json<Job[]>('GET', '/api/jobs?limit=100')).body
  const { status, body } = await media.json<Record<string, unknown>>('POST', '/api/jobs/remove-all')
  assert.deepEqual(
    [status, body['ok'], body['jobs_deleted'], body['share_links_deleted']],
    [200, true, before.length, 0],
  )
  assert.ok(Number(body['files_deleted']) >= 3)
  assert.deepEqual((await media.json('GET', '/api/jobs')).body, [])
  await eventually(tools, (lines) => lines.length === 0)
  for (const folder of ['work', 'artifacts'])
    await eventually(
      () => readdir(join(media.folder, folder)),
      (names) => names.every((name) => name.startsWith('.')),
    )
  const again = await media.json<Record<string, unknown>>('POST', '/api/jobs/remove-all')
  assert.deepEqual([again.body['jobs_deleted'], again.body['files_deleted']], [0, 0])
})
