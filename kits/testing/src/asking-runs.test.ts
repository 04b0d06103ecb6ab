import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askingRuns } from './asking-runs.ts'

test('the build machine asks the same every time, others do not', () => {
  assert.deepEqual(askingRuns(7, {}), { numRuns: 7 })
  const fixed = askingRuns(7, { CI: 'true' })
  assert.equal(fixed.numRuns, 7)
  assert.deepEqual(askingRuns(7, { CI: 'true' }), fixed)
  assert.equal(typeof fixed.seed, 'number')
})
