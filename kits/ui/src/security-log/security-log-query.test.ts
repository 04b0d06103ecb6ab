import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportAddress, toSecurityLogQuery } from './security-log-query.ts'

test('the address of the page becomes the query of the API, and the file has the same filter without pages', () => {
  const query = toSecurityLogQuery({ search: 'a&b', page: 3, filters: { kind: 'sign_in' } })
  assert.deepEqual(query, { limit: 25, offset: 50, kind: 'sign_in', search: 'a&b' })
  assert.equal(exportAddress('/api/security-log', 'csv', query), '/api/security-log.csv?kind=sign_in&search=a%26b')
  const plain = toSecurityLogQuery({ search: '', page: 1, filters: { kind: 'nonsense' } })
  assert.deepEqual(plain, { limit: 25, offset: 0 })
  assert.equal(exportAddress('/api/security-log', 'jsonl', plain), '/api/security-log.jsonl')
})
