import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { readdir, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
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

/** What ffprobe says of bytes: codecs, height, seconds. */
async function facts(bytes: Uint8Array) {
  await using folder = await temporaryDirectory()
  const file = join(folder.path, 'file')
  await writeFile(file, bytes)
  const words = [
    '-v',
    'error',
    '-show_entries',
    'stream=codec_name,height:format=duration,format_name',
    '-of',
    'json',
    file,
  ]
  const { stdout } = spawnSync('ffprobe', words, { encoding: 'utf8' })
  const { streams, format } = JSON.parse(stdout) as {
    streams: { codec_name: string; height?: number }[]
    format: { duration: string; format_name: string }
  }
  return {
    codecs: streams.map(({ codec_name }) => codec_name),
    height: streams.find(({ height }) => height !== undefined)?.height,
    seconds: Number(format.duration),
    format: format.format_name,
  }
}

async function fetchBytes(path: string): Promise<Uint8Array> {
  const response = await media.call('GET', path)
  assert.equal(response.status, 200)
  return new Uint8Array(await response.arrayBuffer())
}

test('an address goes in, the tempo is found, and the file comes out as MP3 with the tempo in its name', async () => {
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

test('videos come in the size that was asked for, and play everywhere when they had to be converted', async () => {
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

test('segmented media of both kinds are fetched whole', async () => {
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

test('the sound for a player is the source when browsers play it, and otherwise an MP3; parts can be had', async () => {
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

test('what a platform does wrong is told in words, and leaves no file behind', async () => {
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

test('a title is only a name: it changes no file, no option and no page', async () => {
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

test('a media that leads into a private network is refused, and nobody there is reached', async () => {
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
