import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePieces, cutPieces } from './audio-pieces.ts'

test('of a long track the middle two minutes are taken, and two probes near its ends', () => {
  const { main, probes } = choosePieces(400)
  assert.deepEqual(main, { startSeconds: 140, lengthSeconds: 120 })
  assert.deepEqual(probes, [
    { startSeconds: 40, lengthSeconds: 30 },
    { startSeconds: 330, lengthSeconds: 30 },
  ])
})

test('a track of less than two minutes is taken as it is', () => {
  assert.deepEqual(choosePieces(42), { main: { startSeconds: 0, lengthSeconds: 42 }, probes: [] })
})

test('what was read as a whole is cut the same way, into pieces with memory of their own', () => {
  const samples = Float32Array.from({ length: 3000 }, (_, index) => index)
  const { main, probes } = cutPieces(samples, 20)
  assert.equal(main.length, 2400)
  assert.equal(main[0], 300)
  assert.deepEqual(
    probes.map((probe) => [probe[0], probe.length]),
    [
      [300, 600],
      [2100, 600],
    ],
  )
  assert.equal(new Set([samples, main, ...probes].map((piece) => piece.buffer)).size, 4)
})
