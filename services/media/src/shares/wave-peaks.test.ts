import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coarsePeaks } from './wave-peaks.ts'

test('a wave has at most 240 bars, each the loudest of its stretch, in percent of the loudest of all', () => {
  assert.deepEqual(coarsePeaks([0, 0.25, 0.5]), [0, 50, 100])
  assert.deepEqual(coarsePeaks([]), [])
  assert.deepEqual(coarsePeaks([0, 0]), [0, 0])
  const long = coarsePeaks(Array.from({ length: 30_000 }, (_, index) => index / 60_000))
  assert.deepEqual([long.length, long[119], long.at(-1)], [240, 50, 100])
  const odd = coarsePeaks(Array.from({ length: 241 }, (_, index) => (index === 240 ? 1 : 0)))
  assert.deepEqual([odd.length, odd.filter((bar) => bar > 0)], [240, [100]])
})
