import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camelotIndex, camelotName, camelotPlace, keyName, keyTag, musicalKeys, transposed } from './musical-keys.ts'

test('keys have the names and the places on the Camelot wheel that DJ programs give them', () => {
  const wheel = musicalKeys
    .map(camelotIndex)
    .sort((a, b) => a - b)
    .map((index) => `${camelotName(index)} ${keyTag(index)}`)
  assert.deepEqual(
    wheel.join(', '),
    '1A G#m, 1B B, 2A Ebm, 2B F#, 3A Bbm, 3B Db, 4A Fm, 4B Ab, 5A Cm, 5B Eb, 6A Gm, 6B Bb, ' +
      '7A Dm, 7B F, 8A Am, 8B C, 9A Em, 9B G, 10A Bm, 10B D, 11A F#m, 11B A, 12A C#m, 12B E',
  )
})

test('a key is named in words', () => {
  assert.equal(keyName(camelotIndex({ tonic: 9, mode: 'minor' })), 'A minor')
  assert.equal(keyName(camelotIndex({ tonic: 3, mode: 'major' })), 'Eb major')
  assert.equal(keyName(24), undefined)
})

test('a key that is moved by semitones is that key', () => {
  const moved = (name: string, semitones: number) => keyTag(transposed(camelotPlace(name) ?? -1, semitones) ?? -1)
  assert.deepEqual(
    [moved('8A', 0), moved('8A', 3), moved('8A', -12), moved('8B', 1), moved('8B', -1)],
    ['Am', 'Cm', 'Am', 'Db', 'B'],
  )
  assert.equal(transposed(24, 1), undefined)
})
