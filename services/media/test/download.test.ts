import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { readdir, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { readPicture } from '../src/pictures/picture.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { mediaSeconds } from './platform/make-media.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

let platform: Platform
let media: Media

before(async () => {
  platform = await startPlatform()
  media = await startMedia({ ...knows(platform.host), WORKERS: '3' })
})
after(async () => {
  await media[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

/** Facts from ffprobe: codecs, height, seconds. */
async function facts(bytes: Uint8Array) {
  await using folder = await temporaryDirectory()
  const file = join(folder.path, 'file')
  await writeFile(file, bytes)
  const words = [
    '-v',
    'error',
    '-show_entries',
    'stream=codec_name,height,bit_rate:stream_disposition=attached_pic:format=duration,format_name,bit_rate',
    '-of',
    'json',
    file,
  ]
  const { stdout } = spawnSync('ffprobe', words, { encoding: 'utf8' })
  const { streams: all, format } = JSON.parse(stdout) as {
    streams: { codec_name: string; height?: number; bit_rate?: string; disposition: { attached_pic: number } }[]
    format: { duration: string; format_name: string; bit_rate: string }
  }
  // A cover is no part of the media.
  const streams = all.filter(({ disposition }) => disposition.attached_pic === 0)
  return {
    codecs: streams.map(({ codec_name }) => codec_name),
    height: streams.find(({ height }) => height !== undefined)?.height,
    seconds: Number(format.duration),
    format: format.format_name,
    kbps: Number((streams.length === 1 ? streams[0]?.bit_rate : undefined) ?? format.bit_rate) / 1000,
  }
}

/** MD5 of the encoded sound in a file, whatever its container. */
async function packetsHash(bytes: Uint8Array): Promise<string> {
  await using folder = await temporaryDirectory()
  const file = join(folder.path, 'file')
  await writeFile(file, bytes)
  const words = ['-v', 'error', '-i', file, '-map', '0:a:0', '-c', 'copy', '-f', 'md5', '-']
  return spawnSync('ffmpeg', words, { encoding: 'utf8' }).stdout.trim()
}

async function fetchBytes(path: string): Promise<Uint8Array> {
  const response = await media.call('GET', path)
  assert.equal(response.status, 200)
  return new Uint8Array(await response.arrayBuffer())
}

test('a URL is downloaded, its tempo detected, and delivered as MP3 with the tempo in its name', async () => {
  const submitted = await media.submit(platform.page('video.mp4', { title: 'Beat & more' }))
  assert.equal(submitted.status, 'queued')
  assert.match(submitted.video_title ?? '', /^Beat & more/)
  const job = await media.reach(submitted.id, 'analysis_done')
  assert.equal(job.bpm, 120)
  assert.match(job.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  assert.match(job.audio_hash ?? '', /^[0-9a-f]{64}$/)
  assert.deepEqual([job.codec, job.duration_seconds, job.type], ['aac', mediaSeconds, 'audio'])
  assert.match(job.filename ?? '', /^Beat & more.*_120bpm\.mp3$/)
  const response = await media.call('GET', `/download/${job.id}`)
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; .*_120bpm\.mp3/)
  const file = await facts(new Uint8Array(await response.arrayBuffer()))
  assert.deepEqual([file.format, file.codecs[0]], ['mp3', 'mp3'])
  assert.ok(Math.abs(file.seconds - mediaSeconds) < 0.2)
  assert.equal((await media.call('GET', `/thumbnail/${job.id}`)).headers.get('content-type'), 'image/jpeg')
})

test('videos have the requested size and are playable everywhere after conversion', async () => {
  const submit = async (name: string, quality: string) => {
    const { id } = await media.submit(platform.page(name, { id: quality }), { type: 'video', quality })
    return media.reach(id, 'done')
  }
  const jobs = await Promise.all([
    submit('video.mp4', 'max'),
    submit('large.mkv', 'medium'),
    submit('large.mkv', 'small'),
  ])
  const files = await Promise.all(jobs.map(async ({ id }) => facts(await fetchBytes(`/download/${id}`))))
  assert.deepEqual(
    files.map(({ height, codecs }) => `${height} ${codecs.join(' ')}`),
    ['360 h264 aac', '720 h264 aac', '480 h264 aac'],
  )
  assert.match(jobs[1]?.filename ?? '', /\(mediumQuality\)\.mp4$/)
})

test('each audio quality gives a file of another size, and the job describes it', async () => {
  const qualities = ['max', 'medium', 'small'] as const
  const jobs = await Promise.all(
    qualities.map(async (quality) => {
      const { id } = await media.submit(platform.page('rich.m4a', { id: `rich-${quality}` }), { quality })
      return media.reach(id, 'analysis_done')
    }),
  )
  const files = await Promise.all(jobs.map(async ({ id }) => facts(await fetchBytes(`/download/${id}`))))
  const [max, medium, small] = files.map(({ kbps }) => kbps)
  assert.ok(max! > 200 && max! < 290, `max ${max}`)
  assert.ok(medium! > 120 && medium! < 190, `medium ${medium}`)
  assert.ok(small! > 75 && small! < 115, `small ${small}`)
  assert.deepEqual(
    files.map(({ codecs, format }) => `${format} ${codecs[0]}`),
    ['mp3 mp3', 'mp3 mp3', 'mp3 mp3'],
  )
  for (const { seconds } of files) assert.ok(Math.abs(seconds - mediaSeconds) < 0.3, `${seconds}`)
  assert.deepEqual(
    jobs.map(({ codec }) => codec),
    ['aac', 'mp3', 'mp3'],
  )
  for (const [index, kbps] of [
    [1, medium],
    [2, small],
  ] as const)
    assert.ok(Math.abs(jobs[index]!.bitrate_kbps! - kbps!) < 5, `${jobs[index]!.bitrate_kbps} ${kbps}`)
  assert.ok(jobs[0]!.filesize_bytes! > jobs[1]!.filesize_bytes! && jobs[1]!.filesize_bytes! > jobs[2]!.filesize_bytes!)
})

test('a low quality does not enlarge audio that is small already', async () => {
  const { id } = await media.submit(platform.page('sound.opus', { id: 'small-already' }), { quality: 'medium' })
  const best = await media.submit(platform.page('sound.opus', { id: 'small-already-best' }))
  const [medium, max] = [await media.reach(id, 'analysis_done'), await media.reach(best.id, 'analysis_done')]
  assert.ok(medium.filesize_bytes! <= max.filesize_bytes!)
  const [small, large] = [await fetchBytes(`/download/${id}`), await fetchBytes(`/download/${best.id}`)]
  assert.ok(small.length < large.length)
})

test('the original audio can be downloaded without re-encoding', async () => {
  const job = await media.reach((await media.submit(platform.page('sound.opus', { id: 'kept' }))).id, 'analysis_done')
  const original = await media.call('GET', `/download/${job.id}?format=original`)
  assert.equal(original.status, 200)
  assert.match(original.headers.get('content-disposition') ?? '', /^attachment; .*_120bpm\.(?:ogg|opus)/)
  const bytes = new Uint8Array(await original.arrayBuffer())
  const [kept, mp3] = [await facts(bytes), await facts(await fetchBytes(`/download/${job.id}?format=mp3`))]
  assert.deepEqual([kept.codecs[0], mp3.codecs[0]], ['opus', 'mp3'])
  // The packets of the platform's file, bit by bit.
  const source = await fetch(new URL('/media/plain/sound.opus', platform.page('sound.opus')))
  assert.equal(await packetsHash(bytes), await packetsHash(new Uint8Array(await source.arrayBuffer())))
  assert.equal((await media.call('GET', `/download/${job.id}?format=ape`)).status, 400)
})

test('a file that is no longer stored, such as after a restore, gets 404', async () => {
  // The others have the same files, and would share theirs.
  await using alone = await startMedia(knows(platform.host))
  const jobs = [
    await alone.submit(platform.page('sound.opus', { id: 'gone-audio' })),
    await alone.submit(platform.page('video.mp4', { id: 'gone-video' }), { type: 'video' }),
  ]
  for (const { id } of jobs) {
    await alone.reach(id, 'analysis_done', 'done')
    await rm(join(alone.folder, 'artifacts', id), { recursive: true })
    for (const path of [`/download/${id}`, `/download/${id}?format=original`]) {
      const { status, body } = await alone.json<{ detail: string }>('GET', path)
      assert.deepEqual([status, body.detail], [404, 'There is no such file'], path)
    }
  }
  assert.equal((await alone.call('GET', `/audio-source/${jobs[0]?.id}`)).status, 404)
})

test('segmented media of both kinds are downloaded completely', async () => {
  const jobs = await Promise.all(
    ['hls/index.m3u8', 'dash/index.mpd'].map(async (name) => {
      const { id } = await media.submit(platform.page(name), { type: 'video' })
      return media.reach(id, 'done')
    }),
  )
  for (const { id } of jobs) {
    const file = await facts(await fetchBytes(`/download/${id}`))
    assert.ok(Math.abs(file.seconds - mediaSeconds) < 0.5, `${file.seconds}`)
    assert.deepEqual(file.codecs.toSorted(), ['aac', 'h264'])
  }
})

test('the player gets the source if browsers can play it, otherwise MP3, with ranges', async () => {
  const m4a = await media.reach((await media.submit(platform.page('sound.m4a'))).id, 'analysis_done')
  const opus = await media.reach((await media.submit(platform.page('sound.opus'))).id, 'analysis_done')
  const first = await media.call('GET', `/audio-source/${m4a.id}`)
  assert.deepEqual([first.headers.get('x-audio-quality'), first.headers.get('content-type')], ['source', 'audio/mp4'])
  const whole = Buffer.from(await first.arrayBuffer())
  const second = await media.call('GET', `/audio-source/${opus.id}`)
  assert.deepEqual(
    [second.headers.get('x-audio-quality'), second.headers.get('content-type')],
    ['mp3-fallback', 'audio/mpeg'],
  )
  await second.arrayBuffer()
  const part = await media.call('GET', `/audio-source/${m4a.id}`, { headers: { range: 'bytes=100-199' } })
  assert.deepEqual([part.status, part.headers.get('content-range')], [206, `bytes 100-199/${whole.length}`])
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), whole.subarray(100, 200))
  const behind = await media.call('GET', `/audio-source/${m4a.id}`, { headers: { range: `bytes=${whole.length}-` } })
  assert.deepEqual([behind.status, behind.headers.get('content-range')], [416, `bytes */${whole.length}`])
  const etag = first.headers.get('etag') ?? ''
  const again = await media.call('GET', `/audio-source/${m4a.id}`, { headers: { 'if-none-match': etag } })
  assert.equal(again.status, 304)
})

test('platform failures are described in plain text and leave no file behind', async () => {
  const cases = [
    [platform.page('video.mp4', { pace: 'missing' }), /not there|fetched|reached/],
    [platform.page('none.mp4'), /not there|fetched|reached/],
    [platform.page('video.mp4', { pace: 'broken' }), /reached|failed/],
  ] as const
  for (const [url, message] of cases) {
    const { id } = await media.submit(url)
    const job = await media.reach(id, 'error')
    assert.match(job.message ?? '', message)
    assert.equal((await media.call('GET', `/download/${id}`)).status, 404)
  }
  assert.deepEqual(await readdir(join(media.folder, 'work')), [])
})

test('a title affects no file, option or page markup', async () => {
  const titles = ['--exec touch pwned', '../../etc/passwd', 'a\r\nset-cookie: x=y', '%(id)s;$(reboot)', '<img src=x>']
  const jobs = await Promise.all(
    titles.map(async (title, index) => {
      const { id } = await media.submit(platform.page('sound.m4a', { title, id: `t${index}` }))
      return media.reach(id, 'analysis_done')
    }),
  )
  for (const { id } of jobs) {
    const response = await media.call('GET', `/download/${id}`)
    await response.arrayBuffer()
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('set-cookie')?.includes('x=y') ?? false, false)
    assert.doesNotMatch(response.headers.get('content-disposition') ?? '', /[/\\<>\r\n]/)
  }
})

test('media that resolve to a private network are refused without connecting', async () => {
  let reached = 0
  const target = createServer((_request, response) => {
    reached += 1
    response.end('secret')
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.2', resolve))
  const { port } = target.address() as AddressInfo
  const places = [
    `http://127.0.0.2:${port}/a.mp4`,
    `http://[::ffff:127.0.0.2]:${port}/a.mp4`,
    'http://169.254.169.254/a.mp4',
  ]
  for (const [index, redirect] of places.entries()) {
    const { id } = await media.submit(platform.page('video.mp4', { redirect, id: `r${index}` }))
    assert.match((await media.reach(id, 'error')).message ?? '', /private network/)
  }
  assert.equal(reached, 0)
  target.closeAllConnections()
  await new Promise((resolve) => target.close(resolve))
})

test('a picture of another kind becomes a JPEG, and one that would unpack to a huge one is left out', async () => {
  const picture = async (name: string) => {
    const { id } = await media.submit(platform.page('sound.m4a', { id: name, title: name, picture: name }))
    await media.reach(id, 'analysis_done')
    return media.call('GET', `/thumbnail/${id}`)
  }
  const converted = await picture('thumbnail.webp')
  assert.equal(converted.headers.get('content-type'), 'image/jpeg')
  const facts = readPicture(new Uint8Array(await converted.arrayBuffer()))
  assert.deepEqual([facts?.media, facts?.width, facts?.height], ['image/jpeg', 640, 360])
  assert.equal((await picture('huge.webp')).status, 404)
  assert.equal((await picture('sound.opus')).status, 404, 'what is no picture')
})
