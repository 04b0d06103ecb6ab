import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isActive, isDownloadable, isFailed, toIsoString, titleOf } from './job.ts'

test('a job is named by its title, or by its URL without the common prefix', () => {
  const url = 'https://www.youtube.com/watch?v=1'
  assert.equal(titleOf({ video_title: 'A song', url }), 'A song')
  assert.equal(titleOf({ video_title: null, url }), 'youtube.com/watch?v=1')
  assert.equal(titleOf({ video_title: ' ', url }), 'youtube.com/watch?v=1')
})

test('during tempo detection a job is active and its file is available', () => {
  const facts = (status: 'analysis' | 'done' | 'queued' | 'cancelled') =>
    [isActive, isDownloadable, isFailed].map((is) => is({ status }))
  assert.deepEqual(facts('analysis'), [true, true, false])
  assert.deepEqual(facts('queued'), [true, false, false])
  assert.deepEqual(facts('done'), [false, true, false])
  assert.deepEqual(facts('cancelled'), [false, false, true])
})

test('stored timestamps are read as UTC', () => {
  assert.equal(new Date(toIsoString('2026-11-21 10:00:00')).getTime(), Date.UTC(2026, 10, 21, 10))
})
