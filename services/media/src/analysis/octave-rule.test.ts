import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldingFactor, octaveFrom } from './octave-rule.ts'

const wide = { slowest: 70, fastest: 180 }
const folded = (bpm: number, window = wide) => Math.round(bpm * foldingFactor(bpm, window))

test('without a window every tempo stays', () => {
  for (const bpm of [40, 60, 120, 185, 220]) assert.equal(foldingFactor(bpm), 1)
  assert.equal(octaveFrom(0), undefined)
})

test('the setting is an octave: tempi outside are doubled or halved into it', () => {
  assert.deepEqual(
    [60, 80, 150, 200].map((bpm) => bpm * foldingFactor(bpm, octaveFrom(78))),
    [120, 80, 150, 100],
  )
})

test('tempi inside the window stay, others are doubled or halved into it', () => {
  assert.deepEqual(
    [70, 100, 180, 60, 45, 200, 215].map((bpm) => folded(bpm)),
    [70, 100, 180, 120, 90, 100, 108],
  )
})

test('a tempo slightly outside the window is not folded to its other end', () => {
  assert.deepEqual(
    [179.6, 180.2, 180.6, 184.4, 69.8, 68.2].map((bpm) => folded(bpm)),
    [180, 180, 181, 184, 70, 68],
  )
  assert.deepEqual(
    [185, 67.4].map((bpm) => folded(bpm)),
    [93, 135],
  )
})

test('a custom window is respected', () => {
  const club = { slowest: 88, fastest: 175 }
  assert.deepEqual(
    [70, 87, 88, 174, 178, 200].map((bpm) => folded(bpm, club)),
    [140, 87, 88, 174, 178, 100],
  )
})

test('a window narrower than an octave leaves tempi that cannot be folded', () => {
  assert.equal(folded(100, { slowest: 120, fastest: 160 }), 100)
  assert.equal(foldingFactor(0, wide), 1)
})
