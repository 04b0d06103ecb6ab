import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isActive, occurrenceAt, weekMs, type WindowTimes } from './occurrences.ts'

const at = (text: string): number => Date.parse(text)
const once: WindowTimes = {
  starts_at: at('2026-03-01T02:00Z'),
  ends_at: at('2026-03-01T04:00Z'),
  repeats: 'never',
  time_zone: 'UTC',
}

test('a window holds from its begin to before its end', () => {
  const times = [
    '2026-03-01T01:59Z',
    '2026-03-01T02:00Z',
    '2026-03-01T03:59Z',
    '2026-03-01T04:00Z',
    '2026-03-08T03:00Z',
  ]
  assert.deepEqual(
    times.map((time) => isActive(once, at(time))),
    [false, true, true, false, false],
  )
  assert.equal(occurrenceAt(once, at('2026-03-02T00:00Z')), undefined)
})

test('a weekly window comes back each week, for years', () => {
  const weekly = { ...once, repeats: 'weekly' as const }
  for (const weeks of [0, 1, 2, 52, 520]) {
    const now = once.starts_at + weeks * weekMs + 60_000
    assert.equal(isActive(weekly, now), true, `${weeks} weeks`)
    assert.equal(isActive(weekly, now - 120_000), false)
    assert.equal(isActive(weekly, once.ends_at + weeks * weekMs), false)
  }
})

test('a weekly window keeps its time of the day when summer time begins and ends', () => {
  const weekly = { ...once, repeats: 'weekly' as const, time_zone: 'Europe/Berlin' }
  // 3:00 in Berlin: 2:00 UTC in winter, 1:00 UTC in summer.
  assert.equal(isActive(weekly, at('2026-03-22T02:30Z')), true)
  assert.equal(isActive(weekly, at('2026-03-22T01:30Z')), false)
  assert.equal(isActive(weekly, at('2026-04-05T01:30Z')), true)
  assert.equal(isActive(weekly, at('2026-04-05T03:30Z')), false)
  assert.equal(isActive(weekly, at('2026-11-01T02:30Z')), true)
})

test('a weekly window that is almost a week long has no gap and no overlap in its answers', () => {
  const long = { ...once, repeats: 'weekly' as const, ends_at: once.starts_at + weekMs - 3_600_000 }
  assert.equal(isActive(long, once.starts_at + weekMs - 1), false)
  assert.equal(isActive(long, once.starts_at + weekMs), true)
  assert.equal(isActive(long, once.starts_at + 2 * weekMs - 3_600_001), true)
})
