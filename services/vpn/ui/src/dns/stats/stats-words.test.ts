import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketTime, readPeriod, shortCount, statsSentence } from './stats-words.ts'
import { formatDay, formatTime } from '@hearth/ui/format-time'

test('the statistics are summarised in one sentence', () => {
  const stats = { total_queries: 12_000, blocked_queries: 2500, block_percentage: 20.8 }
  assert.equal(statsSentence(stats), '12,000 queries, 2,500 of them blocked (20.8 %).')
  const one = { total_queries: 1, blocked_queries: 0, block_percentage: 0 }
  assert.equal(statsSentence(one), '1 query, 0 of them blocked (0 %).')
  assert.equal(statsSentence({ ...stats, total_queries: 0 }), 'No queries in this time.')
})

test('counts on an axis are short', () => {
  assert.deepEqual([0, 999, 1000, 1250, 999_990, 2_000_000].map(shortCount), ['0', '999', '1k', '1.3k', '1M', '2M'])
})

test('an unknown period falls back to a day, and long ones show days', () => {
  assert.deepEqual(['168', '1', null].map(readPeriod), [168, 24, 24])
  const time = new Date(2026, 10, 21, 9).toISOString()
  const day = formatDay(new Date(time), { weekday: 'short' })
  assert.equal(bucketTime(time, 24), formatTime(new Date(time)))
  assert.equal(bucketTime(time, 168), `${day} ${formatTime(new Date(time))}`)
  assert.equal(bucketTime(time, 720), day)
})
