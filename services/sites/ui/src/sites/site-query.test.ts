import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toSiteQuery } from './site.ts'

test('the table requests its page, and nothing the server would refuse', () => {
  const state = { search: 'shop', sort: '-updated_at', page: 3, filters: { kind: 'static', state: 'failed' } }
  assert.deepEqual(toSiteQuery(state), {
    limit: 50,
    offset: 100,
    search: 'shop',
    kind: 'static',
    failed: 'true',
    sort: 'updated_at',
    order: 'desc',
  })
  const odd = { search: '', sort: 'colour', page: 1, filters: { kind: 'x', state: 'y' } }
  assert.deepEqual(toSiteQuery(odd), { limit: 50, offset: 0 })
})
