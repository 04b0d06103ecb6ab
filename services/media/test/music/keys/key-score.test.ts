import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camelotIndex, type MusicalKey } from '../../../src/music/musical-keys.ts'
import { keyRelation } from './key-score.ts'

test('answers are scored by how they relate to the right key', () => {
  const right: MusicalKey = { tonic: 9, mode: 'minor' }
  const relation = (tonic: number, mode: MusicalKey['mode']) => keyRelation(camelotIndex({ tonic, mode }), right)
  assert.equal(relation(9, 'minor'), 'exact')
  assert.equal(relation(4, 'minor'), 'fifth')
  assert.equal(relation(2, 'minor'), 'fifth')
  assert.equal(relation(0, 'major'), 'relative')
  assert.equal(relation(9, 'major'), 'parallel')
  assert.equal(relation(5, 'major'), 'other')
  assert.equal(keyRelation(null, right), 'none')
  assert.equal(keyRelation(camelotIndex({ tonic: 9, mode: 'minor' }), { tonic: 0, mode: 'major' }), 'relative')
})
