import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withChoice } from './use-selection.ts'

const order = ['a', 'b', 'c', 'd']
const choose = (ids: string[], last: string | undefined, id: string, isRange = false) =>
  [...withChoice({ ids: new Set(ids), last }, { id, isRange, order }).ids].toSorted()

test('a click chooses an item, and another one drops it', () => {
  assert.deepEqual(choose([], undefined, 'b'), ['b'])
  assert.deepEqual(choose(['b', 'c'], 'b', 'b'), ['c'])
})

test('with Shift everything up to the last one is chosen, either way', () => {
  assert.deepEqual(choose(['a'], 'a', 'c', true), ['a', 'b', 'c'])
  assert.deepEqual(choose(['d'], 'd', 'b', true), ['b', 'c', 'd'])
  assert.deepEqual(choose([], 'gone', 'b', true), ['b'])
})
