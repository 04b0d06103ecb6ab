import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { sql } from 'kysely'
import type { PlatformHealth } from '../src/health/schema.ts'
import type { ImportAnswer, Intake } from '../src/intake/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import type { MediaList } from '../src/lists/schema.ts'
import { MediaFailure } from '../src/tools/media-failure.ts'
import { openToolbox } from '../src/tools/toolbox.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

let platform: Platform
before(async () => {
  platform = await startPlatform()
})
after(() => platform[Symbol.asyncDispose]())

const listOf = (media: Media, url: string) =>
  media.json<MediaList & { error?: string; detail?: string }>('GET', `/api/playlist?url=${encodeURIComponent(url)}`)

const jobsOf = async (media: Media) => (await media.json<Job[]>('GET', '/api/jobs?limit=100')).body

test('a list shows its media in order, what is known of each, and leaves out what cannot be downloaded', async () => {
  await using media = await startMedia(knows(platform.host))
  const sound = (id: string) => platform.page('sound.m4a', { id })
  const url = platform.feed('plain', [
    { url: sound('one'), title: 'One ‮evil\n', seconds: 65, published: '2026-03-01' },
    { url: sound('two'), title: 'Two' },
    { url: sound('one'), title: 'One again' },
    { url: 'https://other.example/video', title: 'Elsewhere' },
    { url: 'http://127.0.0.1:1/private', title: 'Private' },
    { url: `http://${platform.host}/feed/plain`, title: 'The list itself' },
  ])
  const { id } = await media.submit(sound('two'))
  const { status, body } = await listOf(media, url)
  assert.deepEqual([status, body.title, body.left_out, body.is_truncated], [200, 'A feed', 4, false])
  assert.deepEqual(
    body.entries.map(({ title, duration_seconds, published_on, job_id }) => [
      title,
      duration_seconds,
      published_on,
      job_id,
    ]),
    [
      ['One evil', 65, '2026-03-01', null],
      ['Two', null, null, id],
    ],
  )
  assert.equal(platform.requests.filter((line) => line.includes('id=one')).length, 0, 'no entry is requested')
  const wrong = await listOf(media, 'https://www.youtube.com/watch?v=dQw4w9WgXcQ')
  assert.deepEqual([wrong.status, wrong.body.error], [400, 'url_not_a_list'])
  const none = await listOf(media, 'https://www.facebook.com/page')
  assert.deepEqual([none.status, none.body.error], [400, 'url_no_lists'])
  const gone = await listOf(media, `http://${platform.host}/nothing`)
  assert.deepEqual([gone.status, gone.body.error], [502, 'removed'])
})

test('lists that name each other are each read alone', async () => {
  await using media = await startMedia(knows(platform.host))
  const address = (name: string) => `http://${platform.host}/feed/${name}`
  platform.feed('forth', [
    { url: address('back'), title: 'Back' },
    { url: platform.page('sound.m4a', { id: 'between' }), title: 'Between' },
  ])
  platform.feed('back', [{ url: address('forth'), title: 'Forth' }])
  const { status, body } = await listOf(media, address('forth'))
  // What a list names is shown, and never followed.
  assert.deepEqual([status, body.entries.map(({ title }) => title)], [200, ['Back', 'Between']])
  assert.equal(platform.requests.filter((line) => line.endsWith('/feed/back')).length, 0)
  const back = await listOf(media, address('back'))
  assert.deepEqual([back.status, back.body.entries.map(({ title }) => title)], [200, ['Forth']])
})

test('of a list of 10,000 entries the first thousand are shown', { timeout: 120_000 }, async () => {
  await using media = await startMedia(knows(platform.host))
  const entries = Array.from({ length: 10_000 }, (_, index) => ({
    url: platform.page('sound.m4a', { id: `${index}` }),
    title: `Number ${index}`,
  }))
  const { body } = await listOf(media, platform.feed('long', entries))
  assert.deepEqual([body.entries.length, body.is_truncated, body.entries[999]?.title], [1000, true, 'Number 999'])
})

test('a list that never ends is given up', async () => {
  await using folder = await temporaryDirectory()
  const tools = openToolbox({
    dataDirectory: folder.path,
    ffmpegPath: undefined,
    ytDlpProgram: () => Promise.resolve('/usr/bin/yt-dlp'),
    policy: createOutboundPolicy(createOutboundAllow([platform.host])),
  })
  try {
    const listed = tools.ytDlp.list({
      url: platform.feed('endless', 'endless'),
      extractors: ['generic', 'html5'],
      signal: new AbortController().signal,
      directory: folder.path,
      timeoutMs: 6000,
      max: 10,
    })
    await assert.rejects(listed, (error) => error instanceof MediaFailure && error.code === 'timeout')
  } finally {
    tools.close()
  }
})

test('many addresses become jobs one after another, each medium once, with the titles of their list', async () => {
  await using media = await startMedia(knows(platform.host))
  await media.json('POST', '/api/settings', { json: { list_spacing_seconds: 0 } })
  const sound = (id: string) => platform.page('sound.m4a', { id })
  const list = platform.feed('many', [
    { url: sound('a'), title: 'First' },
    { url: sound('b'), title: 'Second' },
  ])
  await listOf(media, list)
  const present = await media.submit(sound('there'))
  const urls = [sound('a'), sound('b'), sound('a'), 'https://example.org/x', sound('there'), 'nonsense']
  const { status, body } = await media.json<ImportAnswer>('POST', '/api/imports', {
    json: { urls, type: 'audio', list },
  })
  assert.deepEqual([status, body.added, body.duplicates, body.refused], [200, 2, 2, 2])
  assert.deepEqual(
    body.results.map(({ url, outcome }) => [url, outcome]),
    urls.map((url, index) => [url, ['added', 'added', 'duplicate', 'refused', 'duplicate', 'refused'][index]]),
  )
  assert.equal(body.results.find(({ url }) => url === sound('there'))?.job_id, present.id)
  assert.match(body.results.find(({ url }) => url === 'https://example.org/x')?.detail ?? '', /none of the platforms/)
  const all = await eventually(
    () => jobsOf(media),
    (jobs) => jobs.length === 3 && jobs.every(({ status: state }) => state === 'analysis_done'),
    { everyMs: 300, seconds: 60 },
  )
  assert.equal(new Set(all.map(({ url }) => url)).size, 3)
  const again = await media.json<ImportAnswer>('POST', '/api/imports', {
    json: { urls: urls.slice(0, 2), type: 'audio' },
  })
  assert.deepEqual([again.body.added, again.body.duplicates], [0, 2])
  const bad = await media.json<{ detail: string }>('POST', '/api/imports', { json: { urls: [], type: 'audio' } })
  assert.deepEqual([bad.status, bad.body.detail.startsWith('urls')], [400, true])
})

test('a medium whose file was deleted is listed as new, and an import takes it in', async () => {
  await using media = await startMedia({ ...knows(platform.host), WORKERS: '0' })
  const page = (id: string) => platform.page('sound.m4a', { id })
  const [stored, gone] = [await media.submit(page('stored')), await media.submit(page('gone'))]
  const { query } = media.service.app.core.database
  await query.updateTable('jobs').set({ status: 'done', artifact: 'source.m4a' }).where('id', '=', stored.id).execute()
  await query.updateTable('jobs').set({ status: 'done', artifact: null }).where('id', '=', gone.id).execute()
  const urls = [stored.url, gone.url]
  const feed = platform.feed(
    'deleted',
    urls.map((url) => ({ url, title: url })),
  )
  assert.deepEqual(
    (await listOf(media, feed)).body.entries.map(({ job_id }) => job_id),
    [stored.id, null],
  )
  const { body } = await media.json<ImportAnswer>('POST', '/api/imports', {
    json: { urls, type: 'audio', quality: 'max' },
  })
  assert.deepEqual(
    body.results.map(({ outcome }) => outcome),
    ['duplicate', 'added'],
  )
  const again = await media.json('POST', '/api/submit', { form: { url: gone.url, type: 'audio', quality: 'max' } })
  assert.equal(again.status, 409, 'a person is asked')
})

test('the spacing of a platform holds, what waits survives a restart, and can be forgotten', async () => {
  await using media = await startMedia(knows(platform.host))
  await media.json('POST', '/api/settings', { json: { list_spacing_seconds: 3600 } })
  const urls = ['a', 'b', 'c'].map((id) => platform.page('sound.m4a', { id: `spaced-${id}` }))
  assert.equal(
    (await media.json<ImportAnswer>('POST', '/api/imports', { json: { urls, type: 'audio' } })).body.added,
    3,
  )
  const waiting = async () => (await media.json<Intake>('GET', '/api/imports')).body
  await eventually(waiting, (intake) => intake.waiting === 2, { everyMs: 200 })
  await media.restart()
  const intake = await waiting()
  assert.equal(intake.waiting, 2)
  assert.ok((intake.platforms[0]?.seconds_left ?? 0) > 3500)
  assert.equal((await jobsOf(media)).length, 1)
  const direct = await media.submit(urls[2]!)
  assert.ok(direct.id, 'a person does not wait')
  const { body } = await media.json<{ removed: number }>('DELETE', '/api/imports')
  assert.deepEqual([body.removed, (await waiting()).waiting], [2, 0])
})

test('a platform that refuses a list is paused, and the next list is not requested', async () => {
  await using refusing = await startPlatform()
  await using media = await startMedia(knows(refusing.host))
  const [first, second] = ['one', 'two'].map((name) =>
    refusing.feed(name, [{ url: refusing.page('sound.m4a'), title: 'A' }]),
  )
  refusing.treat('refused')
  const refused = await listOf(media, first!)
  assert.deepEqual([refused.status, refused.body.error], [503, 'rate_limited'])
  const asked = refusing.requests.length
  const [health] = (await media.json<PlatformHealth[]>('GET', '/api/platforms')).body
  assert.deepEqual([health?.pause?.reason, health?.pause?.refusals], ['rate_limited', 1])
  assert.deepEqual([(await listOf(media, second!)).status, refusing.requests.length], [503, asked])
})

test('while the disk of the database is full no address of an import is taken, and afterwards all are, once', async () => {
  await using media = await startMedia(knows(platform.host))
  const { query } = media.service.app.core.database
  const urls = Array.from({ length: 400 }, (_, index) =>
    platform.page('sound.m4a', { id: `full-${index}-${'x'.repeat(60)}` }),
  )
  const send = () =>
    media.json<ImportAnswer & { detail?: string }>('POST', '/api/imports', { json: { urls, type: 'audio' } })
  const waiting = async () => (await media.json<Intake>('GET', '/api/imports')).body.waiting
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(query)
  await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 2)}`.execute(query)
  const refused = await send()
  assert.deepEqual([refused.status, refused.body.detail], [503, 'The disk is full; make room and try again'])
  assert.equal(await waiting(), 0)
  await sql`pragma max_page_count = 1073741823`.execute(query)
  assert.equal((await send()).body.added, 400)
  assert.equal((await send()).body.added, 0, 'none twice')
})
