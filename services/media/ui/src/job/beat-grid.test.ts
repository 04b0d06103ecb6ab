import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitBeatGrid, snapPart, snapToBeat } from './beat-grid.ts'

/** The shape of hits that fade, with a quieter one in between. */
function shapeOf({ bpm, first, seconds, rate }: { bpm: number; first: number; seconds: number; rate: number }) {
  const peaks = Array.from({ length: Math.round(seconds * rate) }, (_, place) => {
    const beats = ((place / rate - first) * bpm) / 60
    const since = (from: number) => (((beats - from) % 1) + 1) % 1
    return Math.max(0.9 * Math.exp(-6 * since(0)), 0.4 * Math.exp(-9 * since(0.5)))
  })
  return { peaks, duration_seconds: seconds }
}

test('the exact tempo behind a rounded one is found, with its beat positions', () => {
  for (const [bpm, first] of [
    [123.6, 0.37],
    [80, 0.02],
    [171.7, 0.21],
  ] as const) {
    const grid = fitBeatGrid(shapeOf({ bpm, first, seconds: 180, rate: 100 }), Math.round(bpm))
    assert.ok(grid !== undefined)
    assert.ok(Math.abs(grid.bpm - bpm) < 0.05, `${grid.bpm} instead of ${bpm}`)
    const period = 60 / bpm
    const off = Math.abs(((grid.first - first + period / 2) % period) - period / 2)
    assert.ok(off < 0.03, `the first beat is ${off} s away`)
    const late = snapToBeat(170, grid)
    const truth = snapToBeat(170, { bpm, first })
    assert.ok(Math.abs(late - truth) < 0.04, `at the end beats are ${late - truth} s away`)
  }
})

test('a waveform too coarse for beats has no grid', () => {
  assert.equal(fitBeatGrid({ peaks: [0.1, 0.9, 0.2], duration_seconds: 60 }, 120), undefined)
  assert.equal(fitBeatGrid({ peaks: [], duration_seconds: 0 }, 120), undefined)
})

test('times snap to the nearest beat or bar, never before the start', () => {
  const grid = { bpm: 120, first: 0.2 }
  const near = (value: number, expected: number) => assert.ok(Math.abs(value - expected) < 1e-9, `${value}`)
  near(snapToBeat(1.1, grid), 1.2)
  near(snapToBeat(3.1, grid, 4), 4.2 - 2)
  near(snapToBeat(3.4, grid, 4), 4.2)
  near(snapToBeat(0, { bpm: 120, first: 0.4 }), 0.4)
})

test('a trim keeps its length in beats or bars, meets the minimum, and ends with the audio', () => {
  const grid = { bpm: 120, first: 0.2 }
  const snap = (start: number, end: number, every = 1, duration = 60) =>
    snapPart({ start, end }, grid, { every, duration })
  assert.deepEqual(snap(1.1, 5.3), { start: 1.2, end: 5.2 })
  assert.deepEqual(snap(1.1, 1.3), { start: 1.2, end: 2.2 })
  assert.deepEqual(snap(1.1, 9.3, 4), { start: 0.2, end: 8.2 })
  assert.deepEqual(snap(50.1, 59.9, 1, 60), { start: 50.2, end: 59.7 })
  assert.deepEqual(snap(59.5, 60, 1, 60), { start: 59.5, end: 60 })
})
