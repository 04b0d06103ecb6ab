import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStatusRanges, SiteCheck } from './check-schema.ts'

test('statuses are read from ranges; what is no such list is refused', () => {
  assert.deepEqual(readStatusRanges('200-399, 401,503'), [
    [200, 399],
    [401, 401],
    [503, 503],
  ])
  for (const text of ['', '99', '600', '400-200', '200-', 'ok', '200;300', '2xx'])
    assert.equal(readStatusRanges(text), undefined, text)
})

test('a path cannot hold what ends a request line', () => {
  for (const path of ['', 'x', '/a b', '/a\r\nHost: evil', '/a\tb', '/ä', `/${'x'.repeat(1100)}`])
    assert.equal(SiteCheck.safeParse({ path }).success, false, path)
  assert.equal(SiteCheck.parse({ path: '/health?full=1' }).path, '/health?full=1')
})
