import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromQuotaValues, gigabytes, quotaText, quotaValues } from './quota-values.ts'

const quota = {
  bytes: 50_000_000_000,
  counts: 'both',
  period: 'month',
  start_day: 1,
  at_limit: 'slow',
  slow_to: 2,
  used: 12_340_000_000,
  state: 'within',
  since: '2026-11-01T00:00:00.000Z',
  until: '2026-12-01T12:00:00.000Z',
} as const

test('a quota stays the same on its way into the form and back', () => {
  const { used: _, state: _s, since: _b, until: _u, ...values } = quota
  assert.deepEqual(fromQuotaValues(quotaValues(quota)), values)
  assert.deepEqual(fromQuotaValues({ ...quotaValues(null), bytes: 0.5 }), {
    bytes: 500_000_000,
    counts: 'both',
    period: 'month',
    start_day: 1,
    at_limit: 'notify',
    slow_to: null,
  })
})

test('a sentence says what a quota does now, and until when', () => {
  assert.equal(quotaText(quota), 'Begins anew on 1 December. When it is used up, it is slowed down to 2 Mbit/s.')
  assert.equal(quotaText({ ...quota, state: 'over' }), 'Over its quota, slowed down to 2 Mbit/s until 1 December.')
  assert.equal(quotaText({ ...quota, state: 'over', at_limit: 'stop' }), 'Over its quota, stopped until 1 December.')
  assert.match(
    quotaText({ ...quota, period: 'rolling', at_limit: 'notify' }),
    /^Counts the last 30 days\. .*notified\.$/,
  )
  assert.deepEqual([gigabytes(quota.used), gigabytes(1_500_000), gigabytes(0)], ['12.3 GB', '0.002 GB', '0 GB'])
})
