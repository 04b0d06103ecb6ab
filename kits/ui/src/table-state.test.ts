import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextSort, readPage, withChanges } from './table-state.ts'

test('sorting a column cycles through ascending, descending and none', () => {
  assert.equal(nextSort('', 'name'), 'name')
  assert.equal(nextSort('name', 'name'), '-name')
  assert.equal(nextSort('-name', 'name'), '')
  assert.equal(nextSort('-ip', 'name'), 'name')
})

test('an invalid page number means page 1', () => {
  for (const odd of [null, '', '0', '-3', '1.5', 'x', 'Infinity']) assert.equal(readPage(odd), 1)
  assert.equal(readPage('7'), 7)
})

test('empty values are removed from the URL', () => {
  const next = withChanges(new URLSearchParams('q=a&page=3&status=active'), { q: 'b', page: '' })
  assert.equal(next.toString(), 'q=b&status=active')
})
