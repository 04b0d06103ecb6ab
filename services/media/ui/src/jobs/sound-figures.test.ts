import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decibels, mixesWith, pause } from './sound-figures.ts'

test('keys mix with their neighbours on the wheel', () => {
  assert.deepEqual(mixesWith('8A'), ['7A', '9A', '8B'])
  assert.deepEqual(mixesWith('12B'), ['11B', '1B', '12A'])
  assert.deepEqual(mixesWith('1A'), ['12A', '2A', '1B'])
})

test('levels and silences read as on a meter', () => {
  assert.deepEqual([decibels(-9.05), decibels(0.3), decibels(-14)], ['−9.1', '0.3', '−14.0'])
  assert.deepEqual([pause(0), pause(0.124), pause(2.5)], ['none', '0.12 s', '2.5 s'])
})
