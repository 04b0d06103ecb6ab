import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Feed } from '../src/feeds/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const title = '<b>Beat</b> & "more" \u0007]]>'

describe('feeds', () => {
  let platform: Platform
  let media: Media
  let sound: Job
  let feed: Feed

  before(async () => {
    platform = await startPlatform()
    media = await startMedia(knows(platform.host))
    const { id } = await media.submit(platform.page('sound.opus', { title }))
    sound = await media.reach(id, 'analysis_done')
    const video = await media.submit(platform.page('video.mp4', { id: 'video', title: 'A film' }), { type: 'video' })
    await media.reach(video.id, 'done')
    feed = await create('Pods')
  })
  after(async () => {
    await media[Symbol.asyncDispose]()
    await platform[Symbol.asyncDispose]()
  })

  const create = async (name: string) => {
    const { status, body } = await media.json<Feed>('POST', '/api/feeds', { json: { name } })
    assert.equal(status, 201)
    return body
  }
  const list = async () => (await media.json<Feed[]>('GET', '/api/feeds')).body
  /** As an app without cookies. */
  const read = (url: string, headers: Record<string, string> = {}, method = 'GET') => fetch(url, { method, headers })
  const valueOf = (document: string, pattern: RegExp) => pattern.exec(document)?.[1] ?? ''

  test('a feed has an address that nobody guesses, and is listed with it', async () => {
    assert.match(feed.url, /\/feed\/[\w-]{32}$/)
    assert.deepEqual(await list(), [feed])
    assert.notEqual((await create('Other')).url, feed.url)
    for (const name of ['', ' '.repeat(3), 'x'.repeat(101)]) {
      const { status, body } = await media.json<{ detail: string }>('POST', '/api/feeds', { json: { name } })
      assert.deepEqual([status, body.detail.startsWith('name')], [400, true], body.detail)
    }
    assert.equal((await media.call('POST', '/api/feeds', { json: { name: 'x' }, isBare: true })).status, 403)
  })

  test('an app gets the finished sounds with their titles as text, and no films', async () => {
    const answer = await read(feed.url)
    const document = await answer.text()
    assert.equal(answer.headers.get('content-type'), 'application/rss+xml; charset=utf-8')
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(document.match(/<item>/g)?.length, 1)
    assert.ok(document.includes('<title>&lt;b&gt;Beat&lt;/b&gt; &amp; &quot;more&quot; ]]&gt;'), document)
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(document, /\u0007/)
    assert.doesNotMatch(document, /A film/)
    assert.equal(valueOf(document, /<guid isPermaLink="false">(.*)<\/guid>/), sound.id)
    assert.equal(valueOf(document, /<itunes:duration>(.*)<\//), String(sound.duration_seconds))
    assert.ok(Math.abs(Date.parse(valueOf(document, /<pubDate>(.*)<\//)) - Date.now()) < 600_000)
    const again = await read(feed.url, { 'if-none-match': answer.headers.get('etag') ?? '' })
    assert.deepEqual([again.status, await again.text()], [304, ''])
  })

  test('the enclosure is the sound as MP3, whole and in parts', async () => {
    const url = valueOf(await (await read(feed.url)).text(), /<enclosure url="([^"]+)" length="\d+" type="audio\/mpeg"/)
    const whole = await read(url)
    const bytes = Buffer.from(await whole.arrayBuffer())
    const own = Buffer.from(await (await media.call('GET', `/download/${sound.id}`)).arrayBuffer())
    assert.deepEqual([whole.status, whole.headers.get('content-type'), bytes.equals(own)], [200, 'audio/mpeg', true])
    const part = await read(url, { range: 'bytes=100-199' })
    assert.ok(part.status === 206 && Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200)))
    const head = await read(url, {}, 'HEAD')
    assert.deepEqual([head.status, Number(head.headers.get('content-length'))], [200, bytes.length])
    const picture = await read(url.replace(/mp3$/, 'jpg'))
    assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/jpeg'])
    await picture.arrayBuffer()
  })

  test('a wrong address gives nothing, and neither does a file that is no finished sound', async () => {
    const { origin } = new URL(media.url)
    const video = (await media.json<Job[]>('GET', '/api/jobs')).body.find(({ type }) => type === 'video')
    const wrong = [
      `${origin}/feed/${'a'.repeat(32)}`,
      `${origin}/feed/${'a'.repeat(32)}/${sound.id}.mp3`,
      `${origin}/feed/%00`,
      `${feed.url}/${video?.id}.mp3`,
      `${feed.url}/${randomUUID()}.mp3`,
      `${feed.url}/${sound.id}`,
      `${feed.url}/..%2f..%2fmedia.db`,
    ]
    for (const url of wrong) assert.equal((await read(url)).status, 404, url)
  })

  test('it begins with the public host name, and survives a restart', async () => {
    await media.call('POST', '/api/settings', { json: { public_hostname: 'media.example.org' } })
    const [first] = await list()
    assert.ok(first)
    assert.equal(new URL(first.url).origin, 'https://media.example.org')
    const { pathname } = new URL(feed.url)
    const document = await (await read(`${media.url}${pathname}`)).text()
    assert.match(document, /enclosure url="https:\/\/media\.example\.org\/feed\//)
    await media.call('POST', '/api/settings', { json: { public_hostname: '' } })
    await media.restart()
    assert.equal((await read(`${media.url}${pathname}`)).status, 200)
  })

  test('a deleted feed gives nothing any more; the security log says who made and deleted it', async () => {
    const gone = await create('Gone')
    assert.equal((await read(gone.url)).status, 200)
    assert.equal((await media.call('DELETE', `/api/feeds/${gone.id}`)).status, 200)
    assert.equal((await read(gone.url)).status, 404)
    assert.equal((await media.call('DELETE', `/api/feeds/${gone.id}`)).status, 404)
    const { query } = media.service.app.core.database
    const events = await query
      .selectFrom('security_events')
      .select(['kind', 'detail'])
      .where('target', '=', 'Gone')
      .orderBy('id')
      .execute()
    assert.deepEqual(
      events.map(({ kind, detail }) => [kind, detail]),
      [
        ['token_created', 'feed'],
        ['token_revoked', 'feed'],
      ],
    )
    assert.doesNotMatch(
      JSON.stringify(await query.selectFrom('feeds').selectAll().execute()),
      new RegExp(feed.url.slice(-32)),
    )
  })

  test('there are at most fifty', async () => {
    while ((await list()).length < 50) await create('One more')
    const { status } = await media.json('POST', '/api/feeds', { json: { name: 'One too many' } })
    assert.equal(status, 409)
  })
})
