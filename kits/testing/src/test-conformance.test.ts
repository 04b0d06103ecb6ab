import assert from 'node:assert/strict'
import { test } from 'node:test'
import { propertyRuns } from './test-conformance.ts'

test('the build machine uses a fixed seed, others do not', () => {
  assert.deepEqual(propertyRuns(7, {}), { numRuns: 7 })
  const fixed = propertyRuns(7, { CI: 'true' })
  assert.equal(fixed.numRuns, 7)
  assert.deepEqual(propertyRuns(7, { CI: 'true' }), fixed)
  assert.equal(typeof fixed.seed, 'number')
})
