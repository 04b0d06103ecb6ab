import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import { eventually, temporaryDirectory } from '@hearth/testing'
import type { StorageUsage } from '../src/space/schema.ts'
import { MediaFailure } from '../src/tools/media-failure.ts'
import { openToolbox } from '../src/tools/toolbox.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'
import { mountSmallDisk } from './small-disk.ts'

test('two hundred clients that never read fill no memory and block nobody, and the next one is refused', async () => {
  await using media = await startMedia({ WORKERS: '0' })
  const { hostname, port } = new URL(media.url)
  const sockets: Socket[] = []
  const open = (address: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      socket.on('error', reject)
      socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`)
      socket.once('data', (head) => {
        socket.pause()
        resolve(head.toString('latin1').slice(0, 12))
      })
    })
  const all = await Promise.all(Array.from({ length: 200 }, (_, index) => open(`10.3.${index}.1`)))
  assert.deepEqual(new Set(all), new Set(['HTTP/1.1 200']))
  assert.equal(await open('10.4.0.1'), 'HTTP/1.1 503')
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < 3000; index++)
    media.service.app.core.bus.publish({ type: 'job_added', job_id: `${index} ${'x'.repeat(400)}` })
  assert.ok(process.memoryUsage().heapUsed - before < 100e6)
  assert.equal((await media.call('GET', '/api/jobs')).status, 200)
  for (const socket of sockets) socket.destroy()
  await eventually(
    () =>
      media.call('GET', '/events', { headers: { 'x-forwarded-for': '10.5.0.1' } }).then(async (response) => {
        await response.body?.cancel()
        return response.status
      }),
    (status) => status === 200,
  )
})

test('a client may open ten streams', async () => {
  await using media = await startMedia({ WORKERS: '0' })
  const headers = { 'x-forwarded-for': '10.6.0.1' }
  const streams = await Promise.all(Array.from({ length: 10 }, () => media.call('GET', '/events', { headers })))
  assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]))
  const next = await media.call('GET', '/events', { headers })
  assert.deepEqual([next.status, next.headers.get('retry-after')], [503, '5'])
  for (const stream of streams) await stream.body?.cancel()
})

test('HEAD on the event stream opens no stream', async () => {
  await using media = await startMedia({ WORKERS: '0' })
  const headers = { 'x-forwarded-for': '10.7.0.1' }
  for (let index = 0; index < 11; index += 1)
    assert.equal((await media.call('HEAD', '/events', { headers })).status, 200, `${index + 1}`)
  const stream = await media.call('GET', '/events', { headers })
  assert.equal(stream.status, 200)
  await stream.body?.cancel()
})

test('media over the size limit are stopped during the download, whatever size they declare', async () => {
  await using platform = await startPlatform()
  await using folder = await temporaryDirectory()
  const allow = createOutboundAllow([platform.host])
  const toolbox = openToolbox({
    dataDirectory: folder.path,
    ffmpegPath: undefined,
    ytDlpProgram: () => Promise.resolve('/usr/bin/yt-dlp'),
    policy: createOutboundPolicy(allow),
  })
  const directory = join(folder.path, 'work')
  const downloading = toolbox.ytDlp.download({
    url: platform.page('endless.mp4'),
    extractors: ['generic', 'html5'],
    type: 'video',
    quality: 'max',
    isCompatible: false,
    fragments: 1,
    directory,
    timeoutMs: 60_000,
    maxBytes: 5_000_000,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onFacts: () => undefined,
  })
  await assert.rejects(downloading, (error) => error instanceof MediaFailure && error.code === 'too_large')
  const sizes = await Promise.all(
    (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size),
  )
  assert.ok(sizes.every((size) => size <= 5_000_000))
  toolbox.close()
})

test('a full disk of the stored files refuses jobs, and is said by one that it has no room for', async (t) => {
  await using folder = await temporaryDirectory()
  await using disk = mountSmallDisk(join(folder.path, 'files'), '320m')
  if (disk.obstacle !== undefined) return t.skip(disk.obstacle)
  const { path: files } = disk
  await using platform = await startPlatform()
  await using media = await startMedia({ ...knows(platform.host), ARTIFACTS: files })
  const usage = async () => (await media.json<StorageUsage>('GET', '/api/storage')).body.files_disk_free_bytes ?? NaN
  assert.ok((await usage()) <= 320 * 1024 ** 2)
  const { id } = await media.submit(platform.page('sound.m4a', { pace: 'held' }))
  await eventually(
    () => platform.waiting,
    (count) => count === 1,
    { seconds: 60, what: 'a download half-way' },
  )
  writeFileSync(join(files, 'ballast'), Buffer.alloc((await usage()) - 8192))
  // It was filled after the room for the file was kept.
  media.service.app.core.space.reserve = () => Promise.resolve()
  platform.release()
  const failed = await media.reach(id, 'error')
  assert.deepEqual([failed.error_code, failed.message], ['disk_full', 'There is not enough space left on the disk'])
  assert.deepEqual(
    (await readdir(files, { recursive: true, withFileTypes: true }))
      .flatMap((one) => (one.isFile() ? [one.name] : []))
      .toSorted(),
    ['.hearth-media', 'ballast'],
    'nothing is left but the mark of the folder',
  )
  const form = { url: platform.page('sound.m4a', { id: 'next' }), type: 'audio', quality: 'max' }
  const { status, body } = await media.json<{ detail: string }>('POST', '/api/submit', { form })
  assert.deepEqual([status, /space/.test(body.detail)], [503, true])
})

test('with an almost full disk no job starts, and the reason is shown', async (t) => {
  await using folder = await temporaryDirectory()
  await using disk = mountSmallDisk(join(folder.path, 'small'), '64m')
  if (disk.obstacle !== undefined) return t.skip(disk.obstacle)
  const { path: data } = disk
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host), { folder: data })
  const form = { url: platform.page('sound.m4a'), type: 'audio', quality: 'max' }
  const { status, body } = await media.json<{ detail: string }>('POST', '/api/submit', { form })
  assert.deepEqual([status, /space/.test(body.detail)], [503, true])
  assert.deepEqual((await media.json('GET', '/api/jobs')).body, [])
})
