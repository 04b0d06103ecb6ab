import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

let platform: Platform
let media: Media
before(async () => {
  platform = await startPlatform()
  media = await startMedia({ ...knows(platform.host), WORKERS: '2' })
})
after(async () => {
  await media[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const chapters = JSON.stringify([
  { start: 0, end: 5000, title: 'Intro; = # \\ one' },
  { start: 5000, end: 12_000, title: 'Drop' },
])
/** What a platform may say of a piece. */
const facts = {
  artist: 'Böse & Söhne',
  album: 'First; album = #1 \\ two',
  published_on: '2024-05-17',
  channel: 'A channel',
  chapters,
  musical_key: 2,
  loudness_lufs: -9.1,
  true_peak_dbtp: 0.3,
}

/** Downloads a sound, and has the platform say more of it than the page of a test does. */
async function fetchSound(name: string, file: string, more: object = {}): Promise<Job> {
  const { id } = await media.submit(platform.page(file, { title: name, id: name }))
  await media.reach(id, 'analysis_done')
  const { query } = media.service.app.core.database
  await query
    .updateTable('jobs')
    .set({ ...facts, ...more })
    .where('id', '=', id)
    .execute()
  return (await media.json<Job>('GET', `/api/jobs/${id}`)).body
}

async function download(id: string, format: string): Promise<Buffer> {
  const response = await media.call('GET', `/download/${id}?format=${format}`)
  assert.equal(response.status, 200, format)
  return Buffer.from(await response.arrayBuffer())
}

interface Probe {
  readonly format: { readonly tags?: Record<string, string> }
  readonly streams: {
    readonly codec_name: string
    readonly bit_rate?: string
    readonly tags?: Record<string, string>
    readonly disposition: { readonly attached_pic: number }
  }[]
  readonly chapters: { readonly start_time: string; readonly tags?: Record<string, string> }[]
}

/** Calls the work with the path of a file with that content. */
async function withFile<T>(bytes: Uint8Array, extension: string, work: (path: string) => T): Promise<T> {
  await using folder = await temporaryDirectory()
  const path = join(folder.path, `file.${extension}`)
  await writeFile(path, bytes)
  return work(path)
}

const probe = (bytes: Uint8Array, extension: string) =>
  withFile(bytes, extension, (path) => {
    const words = ['-v', 'error', '-show_format', '-show_streams', '-show_chapters', '-of', 'json', path]
    const read = JSON.parse(spawnSync('ffprobe', words, { encoding: 'utf8' }).stdout) as Probe
    const all = { ...read.streams[0]?.tags, ...read.format.tags }
    const tags = Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value]))
    return { ...read, tags, covers: read.streams.filter(({ disposition }) => disposition.attached_pic === 1).length }
  })

/** MD5 of the encoded sound, whatever its container. */
const packetsOf = (bytes: Uint8Array, extension: string) =>
  withFile(bytes, extension, (path) => {
    const words = ['-v', 'error', '-i', path, '-map', '0:a:0', '-c', 'copy', '-f', 'md5', '-']
    return spawnSync('ffmpeg', words, { encoding: 'utf8' }).stdout.trim()
  })

const exiftool = spawnSync('exiftool', ['-ver']).status === 0
/** The tags as a second reader has them; undefined where it is not installed. */
const secondReading = (bytes: Uint8Array, extension: string) =>
  withFile(bytes, extension, (path) => {
    const mayInstall = process.env['CI'] === 'true' && process.getuid?.() === 0
    assert.ok(exiftool || !mayInstall, 'exiftool must be installed (libimage-exiftool-perl)')
    if (!exiftool) return undefined
    const [read] = JSON.parse(spawnSync('exiftool', ['-json', path], { encoding: 'utf8' }).stdout) as object[]
    return read as Record<string, unknown>
  })

test('title, artist, album, date, source, tempo, key, gain, chapters and cover are in every format', async () => {
  const job = await fetchSound('Tag me', 'sound.m4a')
  const { tags: mp3 } = await probe(await download(job.id, 'mp3'), 'mp3')
  assert.equal(job.key, 'Eb minor')
  const formats = { mp3: 'mp3', 'mp3-320': 'mp3', 'mp3-128': 'mp3', opus: 'opus', flac: 'flac', original: 'm4a' }
  for (const [format, extension] of Object.entries(formats)) {
    const bytes = await download(job.id, format)
    const { tags, covers, chapters: parts } = await probe(bytes, extension)
    const shared = [tags['title'], tags['artist'], tags['album'], tags['date'], tags['comment']]
    assert.deepEqual(shared, [job.video_title, facts.artist, facts.album, '2024-05-17', job.url], format)
    assert.equal(covers, 1, format)
    const key = tags['tkey'] ?? tags['initialkey']
    assert.equal(key, 'Ebm', format)
    if (format === 'opus') assert.equal(tags['r128_track_gain'], '-3558')
    else assert.deepEqual([tags['replaygain_track_gain'], tags['replaygain_track_peak']], ['-8.90 dB', '1.035142'])
    if (format !== 'flac')
      assert.deepEqual(
        parts.map((part) => [Number(part.start_time), part.tags?.['title']]),
        [
          [0, 'Intro; = # \\ one'],
          [5, 'Drop'],
        ],
        format,
      )
    const second = await secondReading(bytes, extension)
    if (second === undefined) continue
    assert.deepEqual([second['Title'], second['Artist'], second['Album']], [job.video_title, facts.artist, facts.album])
    assert.equal(Number(second['BeatsPerMinute'] ?? second['Bpm']), 120, format)
    assert.equal(second['InitialKey'] ?? second['Initialkey'], 'Ebm', format)
    assert.match(String(second['Picture'] ?? second['CoverArt']), /Binary data/)
  }
  assert.equal(mp3['tbpm'], '120')
  const wav = await probe(await download(job.id, 'wav'), 'wav')
  assert.deepEqual([wav.streams[0]?.codec_name, wav.tags['title']], ['pcm_s16le', job.video_title])
})

test('formats differ in what they hold: bit rates of MP3, and the original without another encoding', async () => {
  const aac = await fetchSound('Rich', 'rich.m4a')
  const rate = async (format: string) =>
    Number((await probe(await download(aac.id, format), 'mp3')).streams[0]?.bit_rate) / 1000
  for (const [format, kbps] of [
    ['mp3-320', 320],
    ['mp3-192', 192],
    ['mp3-128', 128],
  ] as const)
    assert.ok(Math.abs((await rate(format)) - kbps) < kbps * 0.06, `${format}: ${await rate(format)}`)
  const opus = await fetchSound('As it is', 'sound.opus')
  for (const [job, extension] of [
    [aac, 'm4a'],
    [opus, 'ogg'],
  ] as const) {
    const folder = join(media.folder, 'artifacts', job.id)
    const source = (await readdir(folder)).find((name) => name.startsWith('source.')) ?? ''
    const stored = await readFile(join(folder, source))
    assert.equal(await packetsOf(await download(job.id, 'original'), extension), await packetsOf(stored, extension))
  }
  const wrong = await media.json<{ detail: string }>('GET', `/download/${aac.id}?format=mp3-64`)
  assert.deepEqual([wrong.status, /format/.test(wrong.body.detail)], [400, true])
})

test('a new tempo is written into the file without another encoding, and the file before it goes', async () => {
  const job = await fetchSound('Tempo', 'sound.opus')
  const before = await download(job.id, 'mp3')
  await media.json('POST', `/api/jobs/${job.id}/tempo`, { json: { bpm: 60 } })
  const played = await media.call('GET', `/audio-source/${job.id}`)
  assert.deepEqual(Buffer.from(await played.arrayBuffer()), before, 'the player takes the MP3 there is')
  const response = await media.call('GET', `/download/${job.id}`)
  assert.match(response.headers.get('content-disposition') ?? '', /_60bpm\.mp3/)
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal((await probe(bytes, 'mp3')).tags['tbpm'], '60')
  assert.equal(await packetsOf(bytes, 'mp3'), await packetsOf(before, 'mp3'))
  const names = await readdir(join(media.folder, 'artifacts', job.id))
  assert.equal(names.filter((name) => name.startsWith('audio_mp3_')).length, 1, names.join())
})

test('a video has its title, source and cover', async () => {
  for (const [file, quality] of [
    ['video.mp4', 'max'],
    ['large.mkv', 'medium'],
  ] as const) {
    const { id } = await media.submit(platform.page(file, { title: 'Film', id: file }), { type: 'video', quality })
    const job = await media.reach(id, 'done')
    const { tags, covers, streams } = await probe(await download(id, 'mp3'), 'mp4')
    assert.deepEqual([tags['title'], tags['comment'], covers], [job.video_title, job.url, 1], file)
    assert.deepEqual(streams.map(({ codec_name }) => codec_name).slice(0, 2), ['h264', 'aac'])
  }
})

test('hostile texts stay texts, and a picture that unpacks to a gigabyte is left out', async () => {
  const hostile = '../../etc/passwd\n[CHAPTER]\u0000\u202e title=x\r\n;FFMETADATA1 '
  const job = await fetchSound('Hostile', 'sound.m4a', {
    video_title: hostile.padEnd(1_000_000, 'A'),
    artist: '-i /etc/passwd',
    album: "'; rm -rf /; ' \\",
    chapters: null,
  })
  // A JPEG of 60,000 pixels a side, as its header says.
  const bomb = Buffer.from('ffd8ffc0001108ea60ea6003012200021101031101ffd9', 'hex')
  await writeFile(join(media.folder, 'artifacts', job.id, 'thumbnail.jpg'), bomb)
  const response = await media.call('GET', `/download/${job.id}`)
  const name = response.headers.get('content-disposition') ?? ''
  assert.ok(name.length < 1000 && !/[/\\\n]|%2F|%00/i.test(name.replaceAll("''", '')), name.slice(0, 300))
  const { tags, covers, chapters: parts } = await probe(Buffer.from(await response.arrayBuffer()), 'mp3')
  assert.deepEqual([tags['artist'], tags['album'], covers, parts.length], ['-i /etc/passwd', "'; rm -rf /; '", 0, 0])
  assert.match(tags['title'] ?? '', /^\.\.\/\.\.\/etc\/passwd \[CHAPTER\] title=x ;FFMETADATA1 A+$/)
  assert.ok((tags['title'] ?? '').length <= 500)
})

test('a service that is killed while it writes tags loses nothing and leaves nothing behind', async () => {
  await using folder = await temporaryDirectory()
  const data = join(folder.path, 'data')
  const environment = { ...knows(platform.host), DATA_DIR: data, WORKERS: '1' }
  const call = async (url: string) => {
    const session = await fetch(`${url}/api/session`)
    const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    return { cookie, 'x-csrf-token': cookie.split('=')[1] ?? '' }
  }
  let id = ''
  {
    await using service = await startServiceProcess('media', environment)
    const form = new URLSearchParams({
      url: platform.page('sound.opus', { id: 'killed' }),
      type: 'audio',
      quality: 'max',
    })
    const submitted = await fetch(`${service.url}/api/submit`, {
      method: 'POST',
      headers: await call(service.url),
      body: form,
    })
    id = ((await submitted.json()) as Job).id
    await eventually(
      async () => ((await (await fetch(`${service.url}/api/jobs/${id}`)).json()) as Job).status,
      (status) => status === 'analysis_done' || status === 'done',
      { seconds: 60, everyMs: 500 },
    )
    assert.equal(await service.stop(), 0)
  }
  // An ffmpeg that has written half of the file when the service dies.
  const slow = join(folder.path, 'ffmpeg')
  await writeFile(slow, `#!/bin/sh\nfor last; do :; done\necho half > "\${last#file:}"\nexec sleep 600\n`)
  await chmod(slow, 0o755)
  const artifacts = join(data, 'artifacts', id)
  const stored = await readdir(artifacts)
  {
    const service = await startServiceProcess('media', { ...environment, FFMPEG_PATH: slow })
    const waiting = fetch(`${service.url}/download/${id}`).catch(() => undefined)
    const scratch = join(data, 'scratch')
    await eventually(
      async () => (await readdir(scratch, { recursive: true })).join(),
      (names) => names.includes('audio_mp3'),
    )
    process.kill(service.pid, 'SIGKILL')
    await waiting
    await service[Symbol.asyncDispose]()
  }
  assert.deepEqual(await readdir(artifacts), stored)
  await using service = await startServiceProcess('media', environment)
  assert.deepEqual(await readdir(join(data, 'scratch')), [])
  const response = await fetch(`${service.url}/download/${id}`)
  assert.equal(response.status, 200)
  const { covers } = await probe(Buffer.from(await response.arrayBuffer()), 'mp3')
  assert.equal(covers, 1)
})
