import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import * as fc from 'fast-check'
import { writeWav } from '../../test/music/audio-files.ts'
import { cutGraph, gainFilter, gainFor, stretchedSamples, stretchFilter } from './filters.ts'
import { rangeOf } from './part-ranges.ts'

const rate = 44_100
const seconds = 5
/** Times of the two clicks in the sound that is stretched. */
const clicks = [1, 3]

describe('changes of tempo and pitch', () => {
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>
  let file: string
  before(async () => {
    folder = await temporaryDirectory('stretch')
    const samples = new Float32Array(seconds * rate)
    for (const click of clicks) samples[click * rate] = 1
    file = await writeWav(join(folder.path, 'clicks.wav'), rate, [samples])
  })
  after(() => folder[Symbol.asyncDispose]())

  function run(filter: string): Float32Array {
    const args = ['-v', 'error', '-i', file, '-af', filter, '-f', 'f32le', '-']
    const { status, stdout, stderr } = spawnSync('ffmpeg', args, { maxBuffer: 1 << 26 })
    assert.equal(status, 0, String(stderr))
    return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length))
  }

  const loudest = (samples: Float32Array, from: number, to: number): number => {
    let best = Math.round(from)
    for (let index = best; index < to; index += 1)
      if (Math.abs(samples[index] ?? 0) > Math.abs(samples[best] ?? 0)) best = index
    return best
  }

  for (const [filter, tolerance] of [
    ['rubberband', 0.006],
    ['atempo', 0.05],
  ] as const)
    for (const [tempo, semitones] of [
      [1, 3],
      [1, -12],
      [0.5, 0],
      [0.8, 0],
      [1.25, 2],
      [2, -7],
    ] as const)
      test(`with ${filter} to ${tempo} and ${semitones} semitones have the exact length, and keep their place`, () => {
        const change = { tempo, semitones, filter }
        const samples = run(stretchFilter(change, { samples: seconds * rate, sampleRate: rate }))
        assert.equal(samples.length, stretchedSamples(seconds * rate, change))
        assert.equal(samples.length, Math.round((seconds * rate) / tempo))
        const middle = (2 * rate) / tempo
        for (const [click, from, to] of [
          [1, 0, middle],
          [3, middle, samples.length],
        ] as const) {
          const found = loudest(samples, from, to) / rate
          assert.ok(Math.abs(found - click / tempo) <= tolerance, `${found} instead of ${click / tempo}`)
        }
      })

  test('without any change is the same sound', () => {
    const filter = stretchFilter(
      { tempo: 1, semitones: 0, filter: 'rubberband' },
      { samples: seconds * rate, sampleRate: rate },
    )
    const samples = run(filter)
    assert.deepEqual([samples.length, samples[rate], samples[rate + 1]], [seconds * rate, 1, 0])
  })

  test('a sound that is made louder keeps its length, and its peaks below full scale', () => {
    const gain = gainFor(-10, { loudnessLufs: -22, truePeakDbtp: -3 })
    assert.deepEqual(gain, { db: 12, isLimited: true })
    const samples = run(gainFilter(gain, { samples: seconds * rate, sampleRate: rate }))
    assert.equal(samples.length, seconds * rate)
    assert.ok(samples.every((value) => Math.abs(value) <= 10 ** (-1 / 20)))
  })
})

test('a gain is limited only where peaks would be too high, and silence stays what it is', () => {
  assert.deepEqual(gainFor(-20, { loudnessLufs: -14, truePeakDbtp: -0.5 }), { db: -6, isLimited: false })
  assert.deepEqual(gainFor(-14, { loudnessLufs: -14, truePeakDbtp: 0.5 }), { db: 0, isLimited: true })
  assert.deepEqual(gainFor(-14, { loudnessLufs: null, truePeakDbtp: null }), { db: 0, isLimited: false })
})

test('filters hold nothing but numbers and names of ours', () => {
  const range = fc.record({
    start: fc.nat(1e9),
    end: fc.integer({ min: 1e9 + 1, max: 2e9 }),
    fadeIn: fc.nat(1e6),
    fadeOut: fc.nat(1e6),
  })
  fc.assert(
    fc.property(
      fc.array(range, { minLength: 1, maxLength: 5 }),
      fc.double({ min: 0.5, max: 2, noNaN: true }),
      (parts, tempo) => {
        const texts = [
          cutGraph(parts, 48_000),
          stretchFilter({ tempo, semitones: 1.5, filter: 'atempo' }, { samples: 1000, sampleRate: 48_000 }),
        ]
        for (const text of texts) assert.match(text, /^[\w[\]:=,;.+/()-]*$/)
      },
    ),
  )
})

test('parts that touch share no sample and miss none, and a loop is rounded once', () => {
  const part = { name: '', fade_in: 0, fade_out: 0, loop: null }
  const time = fc.double({ min: 0, max: 1000, noNaN: true })
  fc.assert(
    fc.property(time, time, time, (a, b, c) => {
      const [start = 0, middle = 0, end = 0] = [a, b, c].toSorted((x, y) => x - y)
      const [first, second] = [
        rangeOf({ ...part, start, end: middle }, rate),
        rangeOf({ ...part, start: middle, end }, rate),
      ]
      assert.equal(first.end, second.start)
    }),
  )
  const loop = { bars: 7, beats_per_bar: 4, bpm: 133.337 }
  for (const start of [0, 0.333_333, 12.345_678]) {
    const range = rangeOf({ ...part, start, end: 99, loop }, rate)
    assert.equal(range.end - range.start, Math.round(((7 * 4 * 60) / 133.337) * rate))
  }
})
