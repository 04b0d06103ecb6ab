import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { writeWav } from '../../test/music/audio-files.ts'
import { Ffmpeg } from '../tools/ffmpeg.ts'
import { startGuardian } from '../tools/guardian.ts'
import { createToolRunner } from '../tools/run-tool.ts'
import { createLevelReader, createMeasureLevels } from './sound-levels.ts'

const rate = 48_000
const guardian = startGuardian()
after(() => guardian.close())
const program = { ffmpeg: '/usr/bin/ffmpeg', ffprobe: '/usr/bin/ffprobe', runner: createToolRunner(guardian) }
const measure = createMeasureLevels(new Ffmpeg(program))

/** A sine of 997 Hz of an amplitude in both channels, with silence before and behind it, seconds. */
async function measureTone(amplitude: number, { before, seconds, behind }: Record<string, number>) {
  await using folder = await temporaryDirectory('levels')
  const from = Math.round((before ?? 0) * rate)
  const to = from + Math.round((seconds ?? 0) * rate)
  const tone = Float32Array.from({ length: to + Math.round((behind ?? 0) * rate) }, (_, index) =>
    index >= from && index < to ? amplitude * Math.sin((2 * Math.PI * 997 * index) / rate) : 0,
  )
  const file = await writeWav(join(folder.path, 'tone.wav'), rate, [tone, tone])
  return await measure(file, { signal: new AbortController().signal, timeoutMs: 30_000 })
}

test('a sine of -23 dBFS in both channels has -23 LUFS, no range, and its peak (EBU Tech 3341, case 1)', async () => {
  const levels = await measureTone(10 ** (-23 / 20), { seconds: 20 })
  assert.deepEqual(levels, { loudnessLufs: -23, rangeLu: 0, truePeakDbtp: -23, silenceStartMs: 0, silenceEndMs: 0 })
})

test('silence at both ends is measured, and does not make a sound quieter', async () => {
  const levels = await measureTone(10 ** (-12 / 20), { before: 1.5, seconds: 6, behind: 2.5 })
  // Blocks at the edges are half silent.
  assert.ok(Math.abs((levels.loudnessLufs ?? 0) + 12) < 0.3, `${levels.loudnessLufs}`)
  assert.ok(Math.abs((levels.silenceStartMs ?? 0) - 1500) <= 10, `${levels.silenceStartMs}`)
  assert.ok(Math.abs((levels.silenceEndMs ?? 0) - 2500) <= 110, `${levels.silenceEndMs}`)
})

test('silence alone has no loudness and no peak; all of it is at the beginning', async () => {
  const levels = await measureTone(0, { seconds: 3 })
  assert.deepEqual([levels.loudnessLufs, levels.rangeLu, levels.truePeakDbtp], [null, null, null])
  assert.deepEqual([levels.silenceStartMs, levels.silenceEndMs], [3000, 0])
})

test('of many silences only the first and the last one count', () => {
  const reader = createLevelReader()
  const lines = [
    ['0', 'silence_start=0'],
    ['2', 'silence_end=2'],
    ...Array.from({ length: 100 }, (_, index) => [
      [`${10 * index + 10}`, `silence_start=${10 * index + 10}`],
      [`${10 * index + 15}`, `silence_end=${10 * index + 15}`],
    ]).flat(),
    ['1990', 'silence_start=1990'],
    ['1999.9', 'r128.I=-20'],
  ]
  for (const [time, text] of lines) {
    reader.read(`frame:1 pts:1 pts_time:${time}`)
    reader.read(`lavfi.${text}`)
  }
  const { silenceStartMs, silenceEndMs } = reader.levels()
  assert.deepEqual([silenceStartMs, silenceEndMs], [2000, 10_000])
})
