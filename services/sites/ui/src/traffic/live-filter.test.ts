import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesFilter } from './live-filter.ts'

test('every word of a filter must match, and status classes work', () => {
  const request = { host: 'shop.test', method: 'GET', path: '/Cart', status: 502, client: '10.0.0.7' }
  const fits = (filter: string) => matchesFilter(request, filter)
  assert.deepEqual(['', 'cart', '5xx', '4xx', '10.0.0.7 get', 'cart post'].map(fits), [
    true,
    true,
    true,
    false,
    true,
    false,
  ])
})
