import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLocalBus } from '@hearth/events'
import { createLog } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { finishedJob } from '../../test/job-row.ts'
import type { MediaEvent } from '../events.ts'
import { defaultSettings } from '../settings/schema.ts'
import { Ffmpeg, type Conversion } from '../tools/ffmpeg.ts'
import { startGuardian } from '../tools/guardian.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { createToolRunner } from '../tools/run-tool.ts'
import { createConvertVideo } from './convert.ts'
import { createSlots } from './slots.ts'

const guardian = startGuardian()
after(() => guardian.close())

class CountedFfmpeg extends Ffmpeg {
  conversions = 0

  override convert(conversion: Conversion): Promise<void> {
    this.conversions += 1
    return super.convert(conversion)
  }
}

const createFfmpeg = () =>
  new CountedFfmpeg({ ffmpeg: '/usr/bin/ffmpeg', ffprobe: '/usr/bin/ffprobe', runner: createToolRunner(guardian) })

const createConversion = (ffmpeg: Ffmpeg) =>
  createConvertVideo({
    ffmpeg,
    slots: createSlots(1),
    bus: createLocalBus<MediaEvent>(),
    monotonic: () => performance.now(),
    settings: () => ({ ...defaultSettings, download_compatible_output: true }),
    log: createLog({ name: 'test', level: 'silent' }),
    withWatermark: () => assert.fail('no watermark is wanted'),
  })

const job = finishedJob({ type: 'video', video_title: 'A film', artist: 'An artist', status: 'transcoding' })
const { signal } = new AbortController()
const handle = { signal, advance: () => Promise.resolve(job), admitted: () => undefined }

/** A JPEG of 16 by 16 pixels, as its header says, with samples of 255 bits, which no program reads. */
const unreadable = Buffer.from('ffd8ffc00011ff0010001003012200021101031101ffd9', 'hex')

for (const extension of ['mkv', 'mp4'])
  test(`a picture that ffmpeg does not read costs a video in ${extension} its cover and not its tags`, async () => {
    await using folder = await temporaryDirectory()
    const [file, thumbnail] = [join(folder.path, `source.${extension}`), join(folder.path, 'thumbnail.jpg')]
    await writeFile(thumbnail, unreadable)
    const made = '-v error -f lavfi -i testsrc=size=64x36:rate=5:duration=1 -c:v libx264 -pix_fmt yuv420p'.split(' ')
    assert.equal(spawnSync('ffmpeg', [...made, file]).status, 0)
    const ffmpeg = createFfmpeg()
    const facts = await ffmpeg.probe(file, signal)
    const converted = await createConversion(ffmpeg)({ job, file, facts, thumbnail }, handle)
    const show = ['-v', 'error', '-show_entries', 'format_tags=title,artist:stream=codec_name', '-of', 'json']
    const read = JSON.parse(spawnSync('ffprobe', [...show, converted.file], { encoding: 'utf8' }).stdout) as {
      readonly streams: unknown[]
      readonly format: object
    }
    assert.deepEqual(read.streams, [{ codec_name: 'h264' }])
    assert.deepEqual(read.format, { tags: { title: 'A film', artist: 'An artist' } })
  })

test('a video that is shown turned keeps its shape, and one that is not turned, too', async () => {
  await using folder = await temporaryDirectory()
  const made = '-v error -f lavfi -i testsrc=size=64x36:rate=5:duration=1 -c:v libvpx-vp9 -pix_fmt yuv420p'.split(' ')
  const plain = join(folder.path, 'plain.mp4')
  assert.equal(spawnSync('ffmpeg', [...made, plain]).status, 0)
  const ffmpeg = createFfmpeg()
  for (const [degrees, size] of [
    [0, { width: 64, height: 36 }],
    [90, { width: 36, height: 64 }],
    [180, { width: 64, height: 36 }],
    [270, { width: 36, height: 64 }],
  ] as const) {
    const file = join(folder.path, `turned-${degrees}.mp4`)
    // ffmpeg from 6 on has the first form alone, before that the second.
    const forms = [
      ['-display_rotation', `${degrees}`, '-i', plain, '-c', 'copy'],
      ['-i', plain, '-c', 'copy', '-metadata:s:v', `rotate=${degrees}`],
    ]
    assert.ok(forms.some((form) => spawnSync('ffmpeg', ['-v', 'error', '-y', ...form, file]).status === 0))
    const facts = await ffmpeg.probe(file, signal)
    assert.deepEqual(facts.video, { codec: 'vp9', ...size })
    const converted = await createConversion(ffmpeg)({ job, file, facts, thumbnail: undefined }, handle)
    assert.deepEqual((await ffmpeg.probe(converted.file, signal)).video, { codec: 'h264', ...size })
  }
})

test('a video that cannot be converted is tried once', async () => {
  await using folder = await temporaryDirectory()
  const file = join(folder.path, 'source.mkv')
  await writeFile(file, 'no video')
  const ffmpeg = createFfmpeg()
  const video = { codec: 'vp9', width: 64, height: 36 }
  const facts = { durationMs: 1000, sizeBytes: 8, bitrateKbps: 1, audio: undefined, video }
  await assert.rejects(
    async () => createConversion(ffmpeg)({ job, file, facts, thumbnail: undefined }, handle),
    (error) => error instanceof MediaFailure && error.code === 'conversion',
  )
  assert.equal(ffmpeg.conversions, 1)
})
