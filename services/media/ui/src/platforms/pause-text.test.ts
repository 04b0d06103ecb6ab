import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseOutlook, pauseTitle } from './pause-text.ts'

test('a pause says what happened, what waits and what comes next', () => {
  assert.equal(
    pauseTitle({ platform: 'tiktok', reason: 'rate_limited' }),
    'TikTok takes no more requests from this server for now',
  )
  const idle = { is_probing: false }
  assert.equal(pauseOutlook(idle, 3, 65), '3 downloads wait. The next try is in 1:05.')
  assert.equal(pauseOutlook(idle, 1, 0), '1 download waits. One is tried next.')
  assert.equal(pauseOutlook(idle, 0, 0), 'The next download is the try.')
  assert.equal(pauseOutlook({ is_probing: true }, 2, 0), '2 downloads wait. One is being tried now.')
})
