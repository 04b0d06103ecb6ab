import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { PNG } from 'pngjs'
import type { Info } from '../src/info/schema.ts'
import type { ThumbnailAnswer } from '../src/thumbnails/schema.ts'
import { startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const picture = PNG.sync.write(new PNG({ width: 8, height: 8 }))
const huge = Buffer.from(picture)
huge.writeUInt32BE(20_000, 16)
huge.writeUInt32BE(20_000, 20)

/** A host of pictures that does everything wrong once; `/oembed` describes videos as the platform does. */
const paths: Record<string, (response: ServerResponse, request: IncomingMessage) => void> = {
  '/good.png': (response) => send(response, 'image/png', picture),
  '/charset.png': (response) => send(response, 'image/png; charset=binary', picture),
  '/named-jpeg.png': (response) => send(response, 'image/jpeg', picture),
  '/page.png': (response) => send(response, 'text/html', Buffer.from('<script>alert(1)</script>')),
  '/page-as-png.png': (response) => send(response, 'image/png', Buffer.from('<script>alert(1)</script>')),
  '/vector.svg': (response) =>
    send(response, 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  '/untyped.png': (response) => void response.end(picture),
  '/huge.png': (response) => send(response, 'image/png', huge),
  '/large.png': (response) => send(response, 'image/png', Buffer.concat([picture, Buffer.alloc(2 * 1024 * 1024)])),
  '/endless.png': (response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).write(picture)
    const more = () => {
      while (response.writable && response.write(Buffer.alloc(65_536)));
    }
    response.on('drain', more)
    more()
  },
  '/away.png': (response) => void response.writeHead(302, { location: '/good.png' }).end(),
  '/broken.png': (response) =>
    void response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy()),
  '/oembed': (response, request) => {
    const media = new URL(new URL(request.url ?? '', 'http://a').searchParams.get('url') ?? '', 'http://a')
    const answer = media.searchParams.has('plain')
      ? { title: 'x' }
      : { thumbnail_url: `http://${request.headers.host}/good.png` }
    response.end(JSON.stringify(answer))
  },
}

function send(response: ServerResponse, type: string, body: Buffer): void {
  response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body)
}

const asked: { url: string; cookie: string | undefined }[] = []
const server = createServer((request, response) => {
  asked.push({ url: request.url ?? '', cookie: request.headers.cookie })
  const answer = paths[new URL(request.url ?? '', 'http://a').pathname]
  if (answer === undefined) response.writeHead(404).end()
  else answer(response, request)
})
let pictures = ''
let platform: Platform
let media: Media

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  pictures = `127.0.0.1:${(server.address() as AddressInfo).port}`
  platform = await startPlatform()
  media = await startMedia({
    EXTRA_PLATFORM_HOSTS: `youtube=${platform.host},tiktok=${pictures}`,
    OUTBOUND_ALLOW: `${platform.host},${pictures}`,
  })
})

after(async () => {
  await media[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
})

const resolve = (url: string) =>
  media.json<ThumbnailAnswer>('GET', `/api/thumbnail/resolve?url=${encodeURIComponent(url)}`)
const proxy = (url: string) => media.call('GET', `/api/thumbnail-proxy?url=${encodeURIComponent(url)}`)

test('a media picture is found, cached and served', async () => {
  const page = platform.page('video.mp4')
  const { status, body } = await resolve(page)
  assert.equal(status, 200)
  assert.match(body.thumbnail_url ?? '', /^\/api\/thumbnail-cache\/[\da-f]{64}$/)
  assert.deepEqual(
    { ...body, thumbnail_url: '' },
    { thumbnail_url: '', cached: false, unavailable: false, reason: null },
  )
  const answer = await media.call('GET', body.thumbnail_url ?? '')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'image/jpeg')
  assert.equal(answer.headers.get('cache-control'), 'private, max-age=604800, immutable')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.match(answer.headers.get('content-security-policy') ?? '', /sandbox/)
  assert.equal((await answer.bytes())[0], 0xff)
  const before = platform.requests.length
  assert.deepEqual((await resolve(page)).body, { ...body, cached: true })
  assert.equal(platform.requests.length, before, 'nobody was asked again')
  const info = await media.json<Info>('GET', `/api/info?url=${encodeURIComponent(page)}`)
  assert.equal(info.body.thumbnail, body.thumbnail_url)
})

test('TikTok pictures are found without yt-dlp', async () => {
  const { body } = await resolve(`http://${pictures}/@a/video/1`)
  assert.equal(body.unavailable, false)
  assert.deepEqual(
    asked.map(({ url }) => url.replace(/\?.*/, '')),
    ['/oembed', '/good.png'],
  )
  assert.deepEqual([...(await (await media.call('GET', body.thumbnail_url ?? '')).bytes())], [...picture])
})

test('media without a picture are reported as unavailable, and so are unknown media', async () => {
  const { status, body } = await resolve(`http://${pictures}/nothing?plain`)
  assert.equal(status, 200)
  assert.deepEqual(body, { thumbnail_url: null, cached: false, unavailable: true, reason: null })
  assert.equal((await resolve('https://example.org/a')).status, 400)
  assert.equal((await media.call('GET', '/api/thumbnail/resolve')).status, 400)
})

test('media information links to the picture on this service', async () => {
  const page = platform.page('sound.m4a', { id: 'unseen' })
  const { body } = await media.json<Info>('GET', `/api/info?url=${encodeURIComponent(page)}`)
  assert.match(body.thumbnail ?? '', /^\/api\/thumbnail-proxy\?url=/)
  const answer = await media.call('GET', body.thumbnail ?? '')
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/jpeg'])
})

test('a malformed key is refused, an unknown one is not found', async () => {
  for (const key of ['a', 'A'.repeat(64), `${'a'.repeat(63)}.`, '..%2f..%2fsecret.key'])
    assert.equal((await media.call('GET', `/api/thumbnail-cache/${key}`)).status, 400, key)
  assert.equal((await media.call('GET', `/api/thumbnail-cache/${'a'.repeat(64)}`)).status, 404)
})

test('a picture of a known host is served with its detected type', async () => {
  const answer = await proxy(`http://${pictures}/good.png`)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'image/png')
  assert.equal(answer.headers.get('cache-control'), 'private, max-age=3600')
  assert.deepEqual([...(await answer.bytes())], [...picture])
  assert.equal((await proxy(`http://${pictures}/charset.png`)).status, 200)
})

test('a disallowed address is refused without a request', async () => {
  const before = asked.length
  const { port } = server.address() as AddressInfo
  for (const url of [
    'https://example.org/a.png',
    `http://127.0.0.1:${port === 1 ? 2 : port - 1}/good.png`,
    `http://localhost:${port}/good.png`,
    `http://[::ffff:127.0.0.1]:${port}/good.png`,
    'http://i.ytimg.com/vi/a/b.jpg',
    'https://i.ytimg.com.example.org/a.jpg',
    'not an address',
  ])
    assert.equal((await proxy(url)).status, 400, url)
  assert.equal(asked.length, before)
})

test('any other failure is reported as 502', async () => {
  const wrong = Object.keys(paths).filter((path) => !['/good.png', '/charset.png'].includes(path))
  for (const path of [...wrong, '/missing.png']) {
    const answer = await proxy(`http://${pictures}${path}`)
    assert.equal(answer.status, 502, path)
    const { detail } = (await answer.json()) as { detail: string }
    assert.match(detail, /^The picture cannot be had: /)
    assert(!detail.includes(path), 'the address stays out of the message')
  }
  assert(asked.every(({ cookie }) => cookie === undefined))
})
