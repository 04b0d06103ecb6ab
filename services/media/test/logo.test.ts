import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import type { JobStatus } from '../src/jobs/schema.ts'
import type { ErrorBody } from '../src/problems.ts'
import type { Logo } from '../src/settings/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { makePng, pngChunk, type PngWish } from './pictures/make-png.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const path = '/api/settings/watermark-logo'
const none = { custom: false, width: null, height: null, bytes: null, fingerprint: null }
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

const upload = (bytes: Uint8Array) => media.json<Logo & ErrorBody>('POST', path, { upload: bytes })
const refusal = async (wish: PngWish | Buffer) => {
  const { status, body } = await upload(Buffer.isBuffer(wish) ? wish : makePng(wish))
  assert.equal(status, 400, body.detail)
  assert.equal(body.error, 'logo_invalid')
  return body.detail
}

test('a logo is stored, described, shown and deleted', async () => {
  assert.deepEqual((await media.json('GET', path)).body, none)
  assert.equal((await media.call('GET', `${path}/image`)).status, 404)
  const picture = makePng({ width: 64, height: 32 })
  const fingerprint = createHash('sha256').update(picture).digest('hex').slice(0, 16)
  const logo = { custom: true, width: 64, height: 32, bytes: picture.length, fingerprint }
  assert.deepEqual(await upload(picture), { status: 200, body: logo })
  assert.deepEqual((await media.json('GET', path)).body, logo)
  const image = await media.call('GET', `${path}/image`)
  assert.deepEqual(
    ['content-type', 'cache-control', 'x-content-type-options'].map((name) => image.headers.get(name)),
    ['image/png', 'private, max-age=60', 'nosniff'],
  )
  assert.deepEqual(Buffer.from(await image.arrayBuffer()), picture)
  await media.restart()
  assert.deepEqual((await media.json('GET', path)).body, logo, 'it outlives a restart')
  assert.deepEqual((await media.json('DELETE', path)).body, { ...none, removed: true })
  assert.deepEqual((await media.json('DELETE', path)).body, { ...none, removed: false })
})

test('every kind of transparency is accepted', async () => {
  const size = { width: 33, height: 40 }
  const kinds: PngWish[] = [
    { ...size },
    { ...size, depth: 16 },
    { ...size, colour: 4 },
    { ...size, colour: 4, depth: 16 },
    { ...size, colour: 3, extra: [pngChunk('tRNS', Buffer.of(7))] },
    { width: 32, height: 320 },
    { width: 640, height: 32 },
    { width: 4096, height: 4096 },
  ]
  for (const wish of kinds) assert.equal((await upload(makePng(wish))).status, 200, JSON.stringify(wish))
})

test('an unsuitable picture is refused with the reason, and the previous one stays', async () => {
  const before = (await media.json('GET', path)).body
  const size = { width: 40, height: 40 }
  assert.match(await refusal({ width: 31, height: 64 }), /31 × 64 pixels are too few/)
  assert.match(await refusal({ width: 4097, height: 500 }), /4097 × 500 pixels are too many/)
  assert.match(await refusal({ width: 32, height: 321 }), /too long/)
  assert.match(await refusal({ width: 641, height: 32 }), /too long/)
  assert.match(await refusal({ ...size, colour: 2 }), /no transparency/)
  assert.match(await refusal({ ...size, colour: 0 }), /no transparency/)
  assert.match(await refusal({ ...size, colour: 3 }), /no transparency/)
  assert.match(await refusal({ ...size, alpha: 255 }), /none of its pixels is transparent/)
  assert.match(await refusal({ ...size, depth: 16, alpha: 255 }), /none of its pixels is transparent/)
  assert.match(await refusal({ ...size, colour: 3, extra: [pngChunk('tRNS', Buffer.of(255))] }), /none of its pixels/)
  assert.match(await refusal({ ...size, extra: [pngChunk('acTL', Buffer.alloc(8))] }), /animated/)
  assert.match(await refusal({ ...size, content: Buffer.from('no deflate') }), /cannot be decoded/)
  assert.match(await refusal({ ...size, content: deflateSync(Buffer.alloc(500)) }), /cannot be decoded/)
  assert.match(await refusal({ width: 0x7fffffff, height: 0x7fffffff, content: Buffer.alloc(9) }), /too many/)
  assert.match(await refusal(makePng(size).subarray(0, 90)), /cut off/)
  assert.match(await refusal(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), /not a PNG/)
  assert.match(await refusal(Buffer.alloc(0)), /not a PNG/)
  assert.deepEqual((await media.json('GET', path)).body, before)
})

test('a picture that decompresses to more than it declares is refused cheaply', async () => {
  const bomb = deflateSync(Buffer.alloc(200 * 1024 * 1024))
  assert.match(await refusal({ width: 64, height: 64, content: bomb }), /cannot be decoded/)
})

test('an upload over 2 MB is refused while it arrives', async () => {
  const { status } = await upload(
    makePng({ width: 40, height: 40, extra: [pngChunk('noPe', Buffer.alloc(2 * 1024 ** 2))] }),
  )
  assert.equal(status, 413)
  assert.equal((await media.json('POST', path, { json: {} })).status, 400)
})

/** The mean colour of a region of one frame, as the real ffmpeg decodes it. */
function colourOf(file: string, crop: string): number[] {
  const words = ['-v', 'error', '-ss', '2', '-i', file, '-frames:v', '1', '-vf', `crop=${crop},scale=1:1:flags=area`]
  const { stdout, stderr } = spawnSync('ffmpeg', [...words, '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'])
  assert.equal(stdout.length, 3, String(stderr))
  return [...stdout]
}

const distance = (left: readonly number[], right: readonly number[]) =>
  Math.hypot(...left.map((value, index) => value - (right[index] ?? 0)))

async function fetchVideo(id: string, statuses?: JobStatus[]): Promise<string> {
  const { bus } = media.service.app.core
  const stop = bus.subscribe((event) => {
    if ('id' in event && 'status' in event && statuses?.at(-1) !== event.status) statuses?.push(event.status)
  })
  const job = await media.submit(platform.page('video.mp4', { id }), { type: 'video' })
  await media.reach(job.id, 'done')
  stop()
  const file = join(media.folder, `${id}.mp4`)
  await writeFile(file, Buffer.from(await (await media.call('GET', `/download/${job.id}`)).arrayBuffer()))
  return file
}

test('a video has the watermark at the bottom right only', async () => {
  await media.json('DELETE', path)
  const plain = await fetchVideo('plain')
  assert.equal((await media.call('POST', '/api/settings', { json: { video_watermark: true } })).status, 200)
  const statuses: JobStatus[] = []
  const bundled = await fetchVideo('bundled', statuses)
  assert.deepEqual([...new Set(statuses)], ['processing', 'downloading', 'transcoding', 'done'])
  // The badge is 76 pixels wide and as high as its shape asks, 9 pixels from both edges of 640 × 360.
  const corner = '70:18:558:330'
  const elsewhere = '500:300:10:10'
  assert(distance(colourOf(bundled, corner), colourOf(plain, corner)) > 25, 'the corner is another')
  assert(distance(colourOf(bundled, elsewhere), colourOf(plain, elsewhere)) < 6, 'the rest is as it was')
  assert.equal((await upload(makePng({ width: 100, height: 50, alpha: 254 }))).status, 200)
  const own = await fetchVideo('own')
  const [red = 0, green = 0, blue = 0] = colourOf(own, '60:26:565:320')
  assert(red > 170 && green < 40 && blue < 40, `the corner is of the logo's colour: ${red} ${green} ${blue}`)
})
