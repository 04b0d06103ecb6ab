import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { createVisitorKeys } from './visitor-keys.ts'

test('a visitor key is valid for a day, only with this server’s secret and unmodified', () => {
  const clock = createManualClock(Date.now())
  const keys = createVisitorKeys(randomBytes(32), clock)
  const key = keys.create()
  assert.ok(keys.isValid(key))
  assert.notEqual(keys.create(), key)
  assert.equal(createVisitorKeys(randomBytes(32), clock).isValid(key), false)
  for (let index = 0; index < key.length; index += 1) {
    const other = key[index] === 'A' ? 'B' : 'A'
    const changed = key.slice(0, index) + other + key.slice(index + 1)
    // The last character of base64url has bits that mean nothing; the text is compared all the same.
    assert.equal(keys.isValid(changed), false, `character ${index}`)
  }
  for (const wrong of ['', 'v', 'v...', `${key}x`, key.slice(0, -1)]) assert.equal(keys.isValid(wrong), false)
  clock.advance(86_400_000 - 1)
  assert.ok(keys.isValid(key))
  clock.advance(1)
  assert.equal(keys.isValid(key), false)
})
