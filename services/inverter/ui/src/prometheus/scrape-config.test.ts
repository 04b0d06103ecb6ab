import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveEntry, scrapeConfig, sourcesOf } from './scrape-config.ts'

test('a sample names the host, and the token only when one is needed', () => {
  const open = scrapeConfig({ protocol: 'http:', host: '10.0.0.2:8102' }, false)
  assert.match(open, /targets: \['10\.0\.0\.2:8102'\]/)
  assert.doesNotMatch(open, /scheme|authorization/)
  const closed = scrapeConfig({ protocol: 'https:', host: 'a.example' }, true)
  assert.match(closed, /scheme: https\n {4}authorization:\n/)
})

test('an entry moves by one, and stays at the ends', () => {
  assert.deepEqual(moveEntry(['a', 'b', 'c'], 'b', 1), ['a', 'c', 'b'])
  assert.deepEqual(moveEntry(['a', 'b', 'c'], 'b', -1), ['b', 'a', 'c'])
  assert.deepEqual(moveEntry(['a', 'b'], 'a', -1), ['a', 'b'])
})

test('sources are separated by anything', () => {
  assert.deepEqual(sourcesOf('10.0.0.1, 10.1.0.0/16\n fd00::/8 '), ['10.0.0.1', '10.1.0.0/16', 'fd00::/8'])
  assert.deepEqual(sourcesOf(' '), [])
})
