import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { convert, writeWav } from '../../test/music/audio-files.ts'
import { namedTrack } from '../../test/music/named-track.ts'
import { createAnalyser, type AnalysisOptions } from './analyse-audio.ts'
import { decodeWith } from '../../test/music/plain-decoder.ts'

const rate = 22_050
const options: AnalysisOptions = { signal: new AbortController().signal, timeoutMs: 30_000 }
const folder = await temporaryDirectory('analysis')
const analyser = createAnalyser({ decode: decodeWith('ffmpeg'), slots: 2 })
after(async () => {
  await analyser.close()
  await folder[Symbol.asyncDispose]()
})
const at = (name: string) => join(folder.path, name)

describe('a file', () => {
  const drums = namedTrack('disco 118').play(rate)
  const keys = namedTrack('piano 108').play(rate).subarray(0, drums.length)
  let file = ''
  let raw = 0
  before(async () => {
    file = await writeWav(at('song.wav'), rate, [
      drums,
      drums.map((sample, index) => sample * 0.5 + keys[index]! * 0.05),
    ])
    raw = (await analyser.analyse(file, options)).rawBpm ?? 0
  })

  test('gets a tempo, a confidence and a hash', async () => {
    const { bpm, rawBpm, alternativeBpm, confidence, hash } = await analyser.analyse(file, options)
    assert.equal(bpm, 118)
    assert.ok(rawBpm !== null && Math.abs(rawBpm - 118) < 0.3)
    assert.equal(alternativeBpm, 59)
    assert.ok(confidence !== null && confidence > 0.6 && confidence <= 1)
    assert.equal(confidence, Number(confidence.toFixed(4)))
    assert.equal(
      hash,
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    )
  })

  test('keeps its tempo when the meter fails', async () => {
    const measure = () => Promise.reject(new Error('no meter'))
    const other = createAnalyser({ decode: decodeWith('ffmpeg'), slots: 1, measure })
    try {
      const { bpm, levels, hash } = await other.analyse(file, options)
      assert.deepEqual([bpm, levels.loudnessLufs, hash.length], [118, null, 64])
    } finally {
      await other.close()
    }
  })

  const harmless = {
    'as MP3 of 128 kbit/s': ['song.mp3', ['-b:a', '128k']],
    'with its sides swapped': ['swapped.wav', ['-af', 'pan=stereo|c0=c1|c1=c0']],
    'much quieter': ['quiet.wav', ['-af', 'volume=-30dB']],
    'with a constant added': ['shifted.wav', ['-af', 'dcshift=0.2']],
    'at 48 kHz in Opus': ['song.opus', ['-b:a', '96k']],
  } as const
  for (const [how, [name, words]] of Object.entries(harmless))
    test(`${how} keeps its tempo`, async () => {
      const { rawBpm } = await analyser.analyse(await convert(file, at(name), words), options)
      assert.ok(rawBpm !== null && Math.abs(rawBpm / raw - 1) < 0.005, `${rawBpm}`)
    })

  test('played a tenth faster has a tempo a tenth higher', async () => {
    const faster = await convert(file, at('faster.wav'), ['-af', 'atempo=1.1'])
    const { rawBpm } = await analyser.analyse(faster, options)
    assert.ok(rawBpm !== null && Math.abs(rawBpm / raw / 1.1 - 1) < 0.005, `${rawBpm}`)
  })

  test('is folded into the requested tempo window; the raw tempo is the alternative', async () => {
    const octaveWindow = { slowest: 55, fastest: 110 }
    const { bpm, rawBpm, alternativeBpm } = await analyser.analyse(file, { ...options, octaveWindow })
    assert.deepEqual([bpm, Math.round(rawBpm ?? 0), alternativeBpm], [59, 118, 118])
  })

  test('without a beat has a hash and no tempo', async () => {
    const talking = await writeWav(at('talking.wav'), rate, [namedTrack('talking').play(rate)])
    const { hash, bpm, rawBpm, alternativeBpm, confidence } = await analyser.analyse(talking, options)
    assert.deepEqual([bpm, rawBpm, alternativeBpm, confidence], [null, null, null, null])
    assert.equal(hash.length, 64)
  })
})

describe('a long file', () => {
  const decode = decodeWith('ffmpeg')
  const read: number[] = []
  const watched = createAnalyser({
    slots: 1,
    decode: (file, stretch) => {
      read.push(stretch.lengthSeconds)
      return decode(file, stretch)
    },
  })
  after(() => watched.close())
  /** A minute of talking, then music, then talking again. */
  const talking = namedTrack('talking').play(rate)
  const bar = Math.round((4 * 60 * rate) / 124)
  const music = namedTrack('house 124')
    .play(rate)
    .subarray(0, 10 * bar)
  const samples = new Float32Array(240 * rate)
  for (let index = 0; index < samples.length; index += 1)
    samples[index] =
      index < 60 * rate || index > 180 * rate ? talking[index % talking.length]! : music[index % (10 * bar)]!
  before(() => writeWav(at('long.wav'), rate, [samples]))

  test('is analysed in its middle, and little of it is read', async () => {
    const { bpm } = await watched.analyse(at('long.wav'), { ...options, durationSeconds: 240 })
    assert.equal(bpm, 124)
    assert.deepEqual(read.splice(0), [120, 30, 30])
  })

  test('with an unknown or wrong duration is read up to the limit', async () => {
    for (const durationSeconds of [null, 5000]) {
      const { bpm } = await watched.analyse(at('long.wav'), { ...options, durationSeconds })
      assert.equal(bpm, 124)
      assert.equal(read.splice(0).at(-1), 600)
    }
  })

  test('is not read beyond the requested length', async () => {
    const { signal } = options
    const part = await decode(at('long.wav'), { startSeconds: 230, lengthSeconds: 5, signal })
    assert.equal(part.length, 5 * rate)
    const end = await decode(at('long.wav'), { startSeconds: 238, lengthSeconds: 30, signal })
    assert.equal(end.length, 2 * rate)
    const beyond = await decode(at('long.wav'), { startSeconds: 300, lengthSeconds: 5, signal })
    assert.equal(beyond.length, 0)
  })
})

describe('an unreadable file', () => {
  const problemOf = (file: string, reader = analyser) =>
    reader.analyse(file, options).then(
      () => assert.fail('it was read'),
      (error: Error & { problem?: string }) => error,
    )

  test('fails with a message that omits the path', async () => {
    await writeFile(at('text.mp3'), 'no music')
    for (const [name, said] of [
      ['text.mp3', /could not decode the audio: the file: Invalid/],
      ['nothing.mp3', /could not decode the audio: the file: No such file/],
    ] as const) {
      const error = await problemOf(at(name))
      assert.equal(error.problem, 'unreadable')
      assert.match(error.message, said)
      assert.ok(!error.message.includes(folder.path), error.message)
    }
  })

  test('fails with a message when ffmpeg is missing', async () => {
    const error = await problemOf(at('song.wav'), createAnalyser({ decode: decodeWith(at('no-ffmpeg')), slots: 1 }))
    assert.match(error.message, /could not be started, ENOENT/)
  })

  test('that refers to the network causes no request', async () => {
    let asked = 0
    const server = createServer((_request, response) => {
      asked += 1
      response.end()
    }).listen(0, '127.0.0.1')
    await new Promise((settle) => server.once('listening', settle))
    const { port } = server.address() as AddressInfo
    const list = `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nhttp://127.0.0.1:${port}/a.ts\n#EXT-X-ENDLIST\n`
    await writeFile(at('list.m3u8'), list)
    assert.equal((await problemOf(at('list.m3u8'))).problem, 'unreadable')
    assert.equal(asked, 0)
    server.close()
  })
})
