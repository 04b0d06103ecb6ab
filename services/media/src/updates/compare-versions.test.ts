import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNewer } from './compare-versions.ts'

test('versions are compared by the numbers they begin with', () => {
  assert.equal(isNewer('2025.11.12', '2025.04.30'), true)
  assert.equal(isNewer('2025.04.30', '2025.04.30'), false)
  assert.equal(isNewer('2025.04.30.1', '2025.04.30'), true)
  assert.equal(isNewer('10.0', '9.9.9'), true)
  assert.equal(isNewer('8.0', '5.1.9-0+deb12u1'), true)
  assert.equal(isNewer('5.1.9', '5.1.9-0+deb12u1'), false)
  assert.equal(isNewer('8.0', 'N-118000-g1234'), false, 'between two versions nobody knows')
  assert.equal(isNewer('', '1.0'), false)
})
