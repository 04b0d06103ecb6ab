import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beatPaths, meanInterval } from './beat-lines.ts'

test('beats that begin a bar are drawn apart from the others', () => {
  assert.deepEqual(beatPaths({ beats: [0.5, 1, 1.5, 2.02], downbeats: [0, 3] }), {
    bars: 'M0.5 0V1M2.02 0V1',
    beats: 'M1 0V1M1.5 0V1',
  })
  assert.deepEqual(beatPaths({ beats: [], downbeats: [] }), { bars: '', beats: '' })
})

test('the mean distance is that of all beats; without two there is none', () => {
  assert.equal(meanInterval([1, 1.4, 2]), 0.5)
  assert.equal(meanInterval([1]), Number.POSITIVE_INFINITY)
})
