import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Share } from '../api.ts'
import { changeOf, checkValues, nameOfShare, newValues, valuesOf } from './share-values.ts'

const share: Share = {
  id: '11111111-1111-4111-8111-111111111111',
  url: 'https://media.example/share/abcdefgh',
  name: 'Demo',
  state: 'active',
  has_password: true,
  max_uses: 3,
  uses: 1,
  created_at: '2026-11-01 10:00:00',
  expires_at: '2026-12-01 10:00:30',
  last_fetched_at: null,
  files: [{ job_id: 'a', title: 'A song', type: 'audio', is_available: true }],
}
const now = new Date('2026-11-20T12:00:00Z')

test('a form that nobody touched changes nothing', () => {
  const { expires_at: _, ...change } = { expires_at: 'same', ...changeOf(valuesOf(share), share) }
  assert.deepEqual(change, { name: 'Demo', max_uses: 3 })
  assert.equal('expires_at' in changeOf(valuesOf(share), share), false)
})

test('a new link begins with the settings', () => {
  const values = newValues({ share_link_max_uses: 5, share_link_expire_days: 2 }, now)
  const { expires_at, ...rest } = changeOf(values)
  assert.deepEqual(rest, { name: null, max_uses: 5 })
  assert.equal(expires_at, '2026-11-22T12:00:00.000Z')
  assert.equal(changeOf(newValues({ share_link_max_uses: 0, share_link_expire_days: 0 }, now)).expires_at, null)
})

test('a password is set, kept, or taken away', () => {
  const values = valuesOf(share)
  assert.equal('password' in changeOf(values, share), false)
  assert.equal(changeOf({ ...values, password: 'open sesame' }, share).password, 'open sesame')
  assert.equal(changeOf({ ...values, is_open: true }, share).password, null)
})

test('an end in the past, too many uses and a short password are refused', () => {
  const values = { ...valuesOf(share), expires_at: '2020-01-01T00:00', max_uses: 10_001, password: 'short' }
  assert.deepEqual(Object.keys(checkValues(values, now)), ['expires_at', 'max_uses', 'password'])
  assert.deepEqual(checkValues({ ...values, expires_at: '', max_uses: '', password: '' }, now), {})
})

test('a link without a name is called after its files', () => {
  assert.equal(nameOfShare(share), 'Demo')
  assert.equal(nameOfShare({ ...share, name: null }), 'A song')
  assert.equal(nameOfShare({ name: null, files: [...share.files, ...share.files] }), '2 files')
})
