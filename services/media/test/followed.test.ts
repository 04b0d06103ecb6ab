import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createRandom, eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { Follow } from '../src/follows/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import { csrfCookie } from '../src/accounts/csrf.ts'
import { checkStored } from './crashes.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { openCaller } from './open-caller.ts'
import { startPlatform, type FeedEntry, type Platform } from './platform/platform.ts'

let platform: Platform
before(async () => {
  platform = await startPlatform()
})
after(() => platform[Symbol.asyncDispose]())

const entry = (id: string, more: Partial<FeedEntry> = {}): FeedEntry => ({
  url: platform.page('sound.m4a', { id }),
  title: `Sound ${id}`,
  ...more,
})

const follows = async (media: Media) => (await media.json<Follow[]>('GET', '/api/followed')).body
const titles = async (media: Media) =>
  (await media.json<Job[]>('GET', '/api/jobs?limit=100')).body.map(({ video_title: title }) => title ?? '').toSorted()

/** Has a list looked at, and waits until that is over. */
async function check(media: Media, id: string): Promise<Follow> {
  const before = (await follows(media)).find((follow) => follow.id === id)
  if (before?.checked_at !== null) await new Promise((resolve) => setTimeout(resolve, 1000))
  await media.json('POST', `/api/followed/${id}/check`)
  const all = await eventually(
    () => follows(media),
    (list) => list.some((one) => one.id === id && !one.is_checking && one.checked_at !== before?.checked_at),
    { everyMs: 200 },
  )
  return all.find((follow) => follow.id === id)!
}

test('a followed list downloads what is added, each medium once, and what its filter lets through', async () => {
  await using media = await startMedia(knows(platform.host))
  await media.json('POST', '/api/settings', { json: { list_spacing_seconds: 0 } })
  const url = platform.feed('channel', [entry('old-1'), entry('old-2')])
  const filter = { newer_than: '2026-02-01', min_seconds: 60, title_has: 'mix, -teaser' }
  const created = await media.json<Follow>('POST', '/api/followed', { json: { url, ...filter } })
  assert.equal(created.status, 201)
  const { id } = created.body
  const begun = await eventually(
    () => follows(media),
    ([follow]) => follow?.checked_at !== null && follow?.is_checking === false,
    { everyMs: 200 },
  )
  assert.deepEqual([begun[0]?.title, begun[0]?.known, await titles(media)], ['A feed', 2, []])

  platform.feed('channel', [
    entry('new', { title: 'Spring mix', seconds: 61, published: '2026-02-01' }),
    entry('early', { title: 'Winter mix', seconds: 61, published: '2026-01-31' }),
    entry('short', { title: 'Short mix', seconds: 59, published: '2026-02-01' }),
    entry('other', { title: 'Talk', seconds: 61, published: '2026-02-01' }),
    entry('teaser', { title: 'Teaser of a mix', seconds: 61, published: '2026-02-01' }),
    entry('old-1'),
    entry('old-2'),
  ])
  await check(media, id)
  await eventually(
    async () => (await media.json<Job[]>('GET', '/api/jobs')).body,
    (jobs) => jobs.length === 1 && jobs[0]?.status === 'analysis_done',
    { everyMs: 300, seconds: 60 },
  )
  const [job] = (await media.json<Job[]>('GET', '/api/jobs')).body
  await media.json('POST', '/api/jobs/remove', { json: { job_ids: [job?.id] } })
  await check(media, id)
  assert.deepEqual(await titles(media), [], 'what was deleted does not come back')

  await media.json('PATCH', `/api/followed/${id}`, { json: { title_has: null, min_seconds: null, newer_than: null } })
  await check(media, id)
  await eventually(
    () => titles(media),
    (all) => all.length === 4,
    { everyMs: 300 },
  )
  assert.equal((await media.json('POST', '/api/followed', { json: { url } })).status, 409)
  assert.equal((await media.json('DELETE', `/api/followed/${id}`)).status, 200)
  assert.deepEqual(await follows(media), [])
})

test('a list that fails says why and is left alone longer each time', async () => {
  await using media = await startMedia(knows(platform.host))
  const json = { url: `http://${platform.host}/missing`, every_minutes: 60 }
  const { body } = await media.json<Follow>('POST', '/api/followed', { json })
  const wait = ({ next_at, checked_at }: Follow) =>
    (Date.parse(`${next_at?.replace(' ', 'T')}Z`) - Date.parse(`${checked_at?.replace(' ', 'T')}Z`)) / 60_000
  const [first] = await eventually(
    () => follows(media),
    ([follow]) => follow?.failures === 1,
    { everyMs: 200 },
  )
  assert.deepEqual([first?.error_code, first?.message !== null], ['removed', true])
  assert.ok(wait(first!) >= 119 && wait(first!) <= 133, `${wait(first!)} minutes`)
  const second = await check(media, body.id)
  assert.equal(second.failures, 2)
  assert.ok(wait(second) >= 239 && wait(second) <= 265, `${wait(second)} minutes`)
  for (const [wrong, part] of [
    [{ url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' }, /url is not the address of a playlist/],
    [{ url: json.url, every_minutes: 1 }, /every_minutes/],
    [{ url: json.url, newer_than: 'soon' }, /newer_than/],
  ] as const) {
    const refused = await media.json<{ detail: string }>('POST', '/api/followed', { json: wrong })
    assert.equal(refused.status, 400)
    assert.match(refused.body.detail, part)
  }
  assert.equal(
    (await media.json('PATCH', '/api/followed/11111111-1111-4111-8111-111111111111', { json: {} })).status,
    404,
  )
})

test(
  'killed at random times, a followed list loses no medium and downloads none twice',
  { timeout: 240_000 },
  async () => {
    await using folder = await temporaryDirectory()
    const data = join(folder.path, 'data')
    const random = createRandom(5)
    const start = () => startServiceProcess('media', { ...knows(platform.host), DATA_DIR: data, LOG_LEVEL: 'fatal' })
    const ids: string[] = []
    const grow = () => {
      for (let count = 0; count < 2; count++) ids.push(`killed-${ids.length}`)
      return platform.feed(
        'killed',
        ids.map((id) => entry(id)),
      )
    }
    let service = await start()
    const post = async (path: string, json: unknown) => {
      const session = await fetch(`${service.url}/api/session`)
      const token = new RegExp(`${csrfCookie}=([^;]+)`).exec(session.headers.getSetCookie().join(';'))?.[1] ?? ''
      const headers = { 'content-type': 'application/json', 'x-csrf-token': token, cookie: `${csrfCookie}=${token}` }
      return fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(json) })
    }
    try {
      await post('/api/settings', { list_spacing_seconds: 0 })
      const created = await post('/api/followed', { url: grow(), takes_present: true, quality: 'small' })
      const { id } = (await created.json()) as Follow
      for (let round = 0; round < 4; round++) {
        await new Promise((resolve) => setTimeout(resolve, random() * 4000))
        await service.kill()
        grow()
        service = await start()
        await post(`/api/followed/${id}/check`, {})
      }
      const send = await openCaller(service.url)
      let asked = 0
      const all = await eventually(
        async () => {
          // The look that was killed holds the list until its lease is over; it is not this test's to wait for that.
          if (++asked % 10 === 0) await post(`/api/followed/${id}/check`, {})
          return (await send<Job[]>('GET', '/api/jobs?limit=100')).body
        },
        // A job that loses two workers in a row is cancelled, and says so.
        (jobs) =>
          jobs.length >= ids.length &&
          jobs.every(({ status }) => ['analysis_done', 'done', 'cancelled'].includes(status)),
        { seconds: 150, everyMs: 500, what: 'the end of all downloads' },
      )
      assert.equal(all.length, ids.length)
      assert.equal(new Set(all.map(({ url }) => url)).size, ids.length)
      const done = all.filter(({ status }) => status !== 'cancelled')
      await checkStored(
        data,
        done.map(({ id: job }) => job),
      )
    } finally {
      await service.kill()
    }
  },
)
