import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePieces, cutPieces } from './audio-pieces.ts'

test('a long track is analysed in its middle two minutes, plus two probes near its ends', () => {
  const { main, probes } = choosePieces(400)
  assert.deepEqual(main, { startSeconds: 140, lengthSeconds: 120 })
  assert.deepEqual(probes, [
    { startSeconds: 40, lengthSeconds: 30 },
    { startSeconds: 330, lengthSeconds: 30 },
  ])
})

test('a track under two minutes is analysed completely', () => {
  assert.deepEqual(choosePieces(42), { main: { startSeconds: 0, lengthSeconds: 42 }, probes: [] })
})

test('a track read at once is cut the same way, into pieces with separate memory', () => {
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
