import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveEntry, scrapeConfig, sourcesOf } from './scrape-config.ts'

test('the sample configuration has the host, and a token only when one is required', () => {
  const open = scrapeConfig({ protocol: 'http:', host: '10.0.0.2:8102' }, false)
  assert.match(open, /targets: \['10\.0\.0\.2:8102'\]/)
  assert.doesNotMatch(open, /scheme|authorization/)
  const closed = scrapeConfig({ protocol: 'https:', host: 'a.example' }, true)
  assert.match(closed, /scheme: https\n {4}authorization:\n/)
})

test('an entry moves by one position and stops at the ends', () => {
  assert.deepEqual(moveEntry(['a', 'b', 'c'], 'b', 1), ['a', 'c', 'b'])
  assert.deepEqual(moveEntry(['a', 'b', 'c'], 'b', -1), ['b', 'a', 'c'])
  assert.deepEqual(moveEntry(['a', 'b'], 'a', -1), ['a', 'b'])
})

test('sources may be separated by commas, spaces or line breaks', () => {
  assert.deepEqual(sourcesOf('10.0.0.1, 10.1.0.0/16\n fd00::/8 '), ['10.0.0.1', '10.1.0.0/16', 'fd00::/8'])
  assert.deepEqual(sourcesOf(' '), [])
})
