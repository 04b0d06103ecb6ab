import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import type { Problem } from '../problems.ts'
import { Ffmpeg } from '../tools/ffmpeg.ts'
import { startGuardian, type Guardian } from '../tools/guardian.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { createToolRunner } from '../tools/run-tool.ts'
import { cutLimit, cutSound, readWavHeader } from './cut-sound.ts'

const seconds = 12
const formats = {
  'm4a (AAC)': ['aac.m4a', '-c:a aac -b:a 96k', 44_100],
  'mp3 of a changing bit rate': ['vbr.mp3', '-c:a libmp3lame -q:a 2', 44_100],
  'mp3 of a fixed bit rate': ['cbr.mp3', '-c:a libmp3lame -b:a 128k', 44_100],
  'ogg (Opus)': ['opus.opus', '-c:a libopus -b:a 64k', 48_000],
  'webm (Opus), whose time stamps are rounded': ['opus.webm', '-c:a libopus -b:a 64k', 48_000],
  'ogg (Vorbis)': ['vorbis.ogg', '-c:a libvorbis', 44_100],
  flac: ['plain.flac', '-c:a flac', 44_100],
  wav: ['plain.wav', '-c:a pcm_s16le', 44_100],
} as const

function run(...words: string[]): Buffer {
  const { status, stdout, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...words], {
    maxBuffer: 1 << 26,
  })
  assert.equal(status, 0, String(stderr))
  return stdout
}

describe('a section of audio', () => {
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>
  let guardian: Guardian
  let ffmpeg: Ffmpeg
  const path = (name: string) => join(folder.path, name)
  const cut = (file: string, startMs: number, endMs: number) =>
    cutSound(ffmpeg, { startMs, endMs }, { file, output: path('cut.wav'), signal: new AbortController().signal })

  before(async () => {
    folder = await temporaryDirectory('cut')
    guardian = startGuardian()
    ffmpeg = new Ffmpeg({
      ffmpeg: '/usr/bin/ffmpeg',
      ffprobe: '/usr/bin/ffprobe',
      runner: createToolRunner(guardian),
    })
    // Noise is unlike itself a sample later, on either side.
    const noise = `aevalsrc='0.4*(random(0)*2-1)+0.2*sin(2*PI*(200+40*t)*t)|0.4*(random(1)*2-1)':d=${seconds}:s=44100`
    for (const [name, words] of Object.values(formats)) run('-f', 'lavfi', '-i', noise, ...words.split(' '), path(name))
  })
  after(async () => {
    guardian.close()
    await folder[Symbol.asyncDispose]()
  })

  for (const [what, [name, , rate]] of Object.entries(formats)) {
    test(`of ${what} is exact to the sample`, async () => {
      const whole = run('-i', path(name), '-f', 's16le', '-c:a', 'pcm_s16le', '-')
      for (const [start, end] of [
        [0, 2000],
        [1, 1001],
        [3777, 5001],
        [7123, 10_500],
        [10_999, seconds * 1000],
      ] as const) {
        await cut(path(name), start, end)
        const file = readFileSync(path('cut.wav'))
        const [first, last] = [start, end].map((ms) => Math.round((ms * rate) / 1000) * 4)
        assert.deepEqual(readWavHeader(file), { channels: 2, sampleRate: rate, frames: (last! - first!) / 4 })
        const [samples, expected] = [file.subarray(44), whole.subarray(first, last)]
        // A container may claim a little more than there is; that much is silence.
        const missing = samples.length - expected.length
        assert.ok(missing >= 0 && missing < 0.1 * rate * 4, `${missing} bytes`)
        assert.ok(samples.subarray(0, expected.length).equals(expected), `${start} to ${end}`)
        assert.ok(samples.subarray(expected.length).every((byte) => byte === 0))
      }
    })
  }

  test('that ends after the audio is refused with the actual duration', async () => {
    await assert.rejects(cut(path('plain.flac'), 10_000, 13_000), (error: Problem) => {
      assert.equal(error.status, 400)
      assert.match(error.message, /^end lies beyond the end of the track, which has 12\.000 seconds$/)
      return true
    })
    await assert.rejects(cut(path('plain.flac'), 20_000, 23_000), /^Problem: start lies beyond/)
  })

  test('of a file without audio fails with a message', async () => {
    run('-f', 'lavfi', '-i', 'color=size=64x64:duration=1', '-frames:v', '1', path('picture.png'))
    await assert.rejects(cut(path('picture.png'), 0, 1000), MediaFailure)
  })

  test('is a plain WAV file of header and samples', async () => {
    await cut(path('aac.m4a'), 0, 1000)
    const file = readFileSync(path('cut.wav'))
    assert.equal(file.length, 44 + 44_100 * 4)
    assert.doesNotMatch(file.toString('latin1'), /Lavf|LIST/)
  })
})

test('a cut gets twice its decoding time, between half a minute and five', () => {
  assert.equal(cutLimit({ startMs: 0, endMs: 1000 }), 30_000)
  assert.equal(cutLimit({ startMs: 59_000, endMs: 60_000 }), 120_000)
  assert.equal(cutLimit({ startMs: 3_590_000, endMs: 3_600_000 }), 300_000)
})
