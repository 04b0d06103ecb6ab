import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countBeats, firstFrom, foundPerBar, loopAt, snapTo, stepBeats } from './beats.ts'

const times = Array.from({ length: 20 }, (_, index) => 0.25 + index / 2)
const found = { bpm: 120, metre: 4, confidence: 1, beats: times, downbeats: [1, 5, 9, 13, 17] }
const grid = { snap: 'bar' as const, beats_per_bar: null, shift: 0 }

test('bars are counted as they were found, and as a person says', () => {
  assert.equal(foundPerBar(found), 4)
  assert.equal(foundPerBar({ downbeats: [0, 3, 6, 10, 13] }), 3)
  assert.equal(foundPerBar({ downbeats: [] }), 4)
  assert.equal(countBeats(found, grid)?.first, 1)
  assert.equal(countBeats(found, { ...grid, shift: 2 })?.first, 3)
  assert.deepEqual(countBeats(found, { ...grid, beats_per_bar: 3, shift: 2 }), { times, bpm: 120, perBar: 3, first: 0 })
  assert.equal(countBeats({ ...found, bpm: null, beats: [] }, grid), undefined)
})

test('a time snaps to the nearest beat, or first beat of a bar, or to nothing', () => {
  const beats = countBeats(found, grid)
  assert.equal(snapTo(3.9, beats, 'beat'), 3.75)
  assert.equal(snapTo(3.9, beats, 'bar'), 4.75)
  assert.equal(snapTo(0, beats, 'bar'), 0.75)
  assert.equal(snapTo(99, beats, 'bar'), 8.75)
  assert.equal(snapTo(3.9, beats, 'off'), 3.9)
  assert.equal(snapTo(3.9, undefined, 'beat'), 3.9)
})

test('steps go from beat to beat, and by seconds without beats', () => {
  const beats = countBeats(found, grid)
  assert.equal(stepBeats(1, beats, 1), 1.25)
  assert.equal(stepBeats(1.25, beats, 1), 1.75)
  assert.equal(stepBeats(1.25, beats, -1), 0.75)
  assert.equal(stepBeats(1, beats, -1), 0.75)
  assert.equal(stepBeats(1, undefined, -1), 0)
})

test('a loop begins with the bar and has the exact length of its beats', () => {
  const beats = countBeats(found, grid)
  assert.ok(beats !== undefined)
  assert.deepEqual(loopAt(3, beats, 2), { start: 2.75, end: 6.75, loop: { bars: 2, beats_per_bar: 4, bpm: 120 } })
  assert.equal(loopAt(2.75, beats, 1).start, 2.75)
})

test('the first beat from a time on is found', () => {
  assert.deepEqual([firstFrom(times, 0), firstFrom(times, 0.3), firstFrom(times, 99)], [0, 1, 20])
})
