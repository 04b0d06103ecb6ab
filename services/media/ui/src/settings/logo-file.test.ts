import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rasterSize } from './logo-file.ts'

test('a drawing is resized to what the server accepts', () => {
  assert.deepEqual(rasterSize(24, 24), { width: 1024, height: 1024 })
  assert.deepEqual(rasterSize(5000, 1250), { width: 1024, height: 256 })
  assert.deepEqual(rasterSize(3200, 50), { width: 2048, height: 32 })
  assert.equal(rasterSize(10_000, 10), undefined)
  assert.equal(rasterSize(0, 0), undefined)
})
