import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { sql } from 'kysely'
import type { Share, ShareFetch } from '../src/shares/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { storageFixture } from './object-storage/storage-fixture.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

async function fetchTwo(platform: Platform, media: Media): Promise<string[]> {
  const sound = await media.submit(platform.page('sound.opus', { title: 'A song' }))
  const video = await media.submit(platform.page('video.mp4', { id: 'video', title: 'A film' }), { type: 'video' })
  await media.reach(sound.id, 'analysis_done')
  await media.reach(video.id, 'done')
  return [sound.id, video.id]
}

const visit = (media: Media, path: string, headers: Record<string, string>) => fetch(media.url + path, { headers })

test(
  'two services with one PostgreSQL and object storage hand out a link as one',
  { skip: postgresObstacle() },
  async (t) => {
    const { setting, environment } = await storageFixture(t)
    // The storage's keys are those of the process.
    Object.assign(process.env, environment)
    await using platform = await startPlatform()
    const shared = {
      ...knows(platform.host),
      DATABASE_URL: await createPostgresDatabase(),
      ARTIFACTS: setting,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    await using one = await startMedia(shared)
    await using two = await startMedia({ ...shared, WORKERS: '0' })
    const job_ids = await fetchTwo(platform, one)
    const { body: share } = await one.json<Share>('POST', '/api/shares', {
      json: { job_ids, password: 'open sesame', max_uses: 1 },
    })
    const { pathname: path } = new URL(share.url)
    const from = { 'x-forwarded-for': '198.51.100.60' }
    const right = await fetch(one.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: from,
      body: new URLSearchParams({ password: 'open sesame' }),
    })
    const headers = { ...from, cookie: right.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    const places = [one, two]
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        visit(places[index % 2]!, `${path}/${(index % 4 < 2 ? 0 : 1) + 1}`, { ...headers, range: 'bytes=0-999' }),
      ),
    )
    for (const answer of answers)
      assert.deepEqual([answer.status, (await answer.arrayBuffer()).byteLength], [206, 1000])
    const archive = await visit(two, `${path}/all.zip`, headers)
    assert.ok(archive.status === 200 && (await archive.arrayBuffer()).byteLength > 50_000)
    for (const name of ['1.json', '1.jpg', '2.jpg']) {
      const answer = await visit(two, `${path}/${name}`, headers)
      assert.equal(answer.status, 200, name)
      await answer.arrayBuffer()
    }
    const { body: fetches } = await two.json<ShareFetch[]>('GET', `/api/shares/${share.id}/fetches`)
    assert.equal(fetches.length, 2)
    const { body: listed } = await two.json<Share[]>('GET', '/api/shares')
    assert.deepEqual([listed[0]?.uses, listed[0]?.state], [1, 'used_up'])
    assert.equal((await visit(two, path, { ...headers, 'x-forwarded-for': '198.51.100.61' })).status, 404)
  },
)

test('while the disk of the database is full nothing is handed out or made, and afterwards nothing was lost', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  const job_ids = await fetchTwo(platform, media)
  const create = () =>
    media.json<Share>('POST', '/api/shares', { json: { job_ids, max_uses: 1, name: 'x'.repeat(120) } })
  const { body: share } = await create()
  const { pathname: path } = new URL(share.url)
  const from = { 'x-forwarded-for': '198.51.100.70' }
  const { query } = media.service.app.core.database
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(query)
  await sql`pragma max_page_count = ${sql.lit(rows[0]?.page_count ?? 0)}`.execute(query)
  // What is left of the last pages is filled.
  let made = 0
  let refused = await create()
  for (; refused.status === 201 && made < 500; made += 1) refused = await create()
  assert.deepEqual([refused.status, refused.body], [503, { detail: 'The disk is full; make room and try again' }])
  const answers = await Promise.all([1, 2].map((file) => visit(media, `${path}/${file}`, from)))
  const statuses = answers.map(({ status }) => status)
  for (const answer of answers) await answer.arrayBuffer()
  await sql`pragma max_page_count = 1073741823`.execute(query)
  const { body: before } = await media.json<Share[]>('GET', `/api/shares?limit=100&offset=${made}`)
  const uses = before.find(({ id }) => id === share.id)?.uses
  const { body: log } = await media.json<ShareFetch[]>('GET', `/api/shares/${share.id}/fetches`)
  // Either all of a use was stored or nothing.
  assert.equal(uses, statuses.includes(200) ? 1 : 0)
  assert.equal(log.length, statuses.filter((status) => status === 200).length)
  const again = await visit(media, `${path}/1`, from)
  assert.ok(again.status === 200 && (await again.arrayBuffer()).byteLength > 10_000)
  const { body: after } = await media.json<ShareFetch[]>('GET', `/api/shares/${share.id}/fetches`)
  assert.ok(after.length >= 1)
})
