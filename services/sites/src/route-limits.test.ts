import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLimit } from './route-limits.ts'

test('a limit has one window or two, in memory or persistent', () => {
  assert.deepEqual(parseLimit('30/min'), { isLasting: false, windows: [{ limit: 30, windowSeconds: 60 }] })
  assert.deepEqual(parseLimit('lasting 5/min 20/hour'), {
    isLasting: true,
    windows: [
      { limit: 5, windowSeconds: 60 },
      { limit: 20, windowSeconds: 3600 },
    ],
  })
})
