import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clock, confidenceWords, kindOf, originalOf } from './job-labels.ts'

test('durations are formatted as in a player', () => {
  assert.deepEqual(
    [0, 5, 7, 65, 187, 3729].map((seconds) => clock(seconds)),
    ['0:00', '0:05', '0:07', '1:05', '3:07', '1:02:09'],
  )
  assert.equal(clock(59.96), '1:00')
  assert.equal(clock(59.96, 1), '1:00.0')
  assert.equal(clock(7.44, 1), '0:07.4')
})

test('the quality is named where it matters', () => {
  assert.equal(kindOf({ type: 'audio', quality: 'max' }), 'Audio, best')
  assert.equal(kindOf({ type: 'audio', quality: 'small' }), 'Audio, small')
  assert.equal(kindOf({ type: 'video', quality: 'max' }), 'Video, best')
  assert.equal(kindOf({ type: 'video', quality: 'medium' }), 'Video, 720p')
})

test('the confidence of a tempo is described', () => {
  assert.deepEqual(
    [null, 0.1, 0.3, 0.6, 0.9, 1].map((value) => confidenceWords(value).text),
    ['Not known', 'A guess', 'Doubtful', 'Likely', 'High confidence', 'Certain'],
  )
})

test('an original is offered if it differs from the MP3', () => {
  assert.equal(originalOf({ type: 'audio', codec: 'opus', bitrate_kbps: 129 }), 'Opus, 129 kbit/s')
  assert.equal(originalOf({ type: 'audio', codec: 'ac3', bitrate_kbps: null }), 'ac3')
  assert.equal(originalOf({ type: 'audio', codec: 'mp3', bitrate_kbps: 165 }), undefined)
  assert.equal(originalOf({ type: 'video', codec: 'h264', bitrate_kbps: 900 }), undefined)
})
