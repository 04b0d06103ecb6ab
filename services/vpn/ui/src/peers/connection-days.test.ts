import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionDays } from './connection-days.ts'

test('a span over midnight stands in both days, and what lies before the first day is left out', () => {
  const now = new Date(2026, 10, 26, 15, 0)
  const at = (...parts: [number, number, number, number]) => new Date(...parts).toISOString()
  const days = connectionDays(
    [
      { began_at: at(2026, 10, 1, 0), ended_at: at(2026, 10, 2, 0) },
      { began_at: at(2026, 10, 25, 18), ended_at: at(2026, 10, 26, 6) },
      { began_at: at(2026, 10, 26, 12), ended_at: now.toISOString() },
    ],
    now,
    3,
  )
  assert.deepEqual(
    days.map(({ start, seconds, parts }) => [start.getDate(), seconds / 3600, parts.length]),
    [
      [24, 0, 0],
      [25, 6, 1],
      [26, 9, 2],
    ],
  )
  assert.deepEqual(days[2]?.parts[0], { from: 0, to: 0.25 })
})

test('every day of a year with its clock changes begins where the one before ends, and a full one is full', () => {
  const now = new Date(2026, 11, 31, 23, 59)
  const days = connectionDays([{ began_at: new Date(2025, 0, 1).toISOString(), ended_at: now.toISOString() }], now, 365)
  for (const [index, day] of days.slice(0, -1).entries()) {
    assert.equal(day.end.getTime(), days[index + 1]?.start.getTime())
    assert.equal(day.seconds * 1000, day.end.getTime() - day.start.getTime())
  }
})
