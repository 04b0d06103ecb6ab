import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiredBackups } from './retention.ts'

const at = (text: string) => Date.parse(text)

test('the newest backup of each of the last days, weeks and months stays, the others go', () => {
  const hours = Array.from({ length: 24 * 400 }, (_, hour) => at('2026-12-31T23:00:00Z') - hour * 3_600_000)
  const now = at('2026-12-31T23:30:00Z')
  const expired = new Set(expiredBackups(hours, { days: 7, weeks: 4, months: 6 }, now))
  const kept = hours.filter((time) => !expired.has(time)).map((time) => new Date(time).toISOString().slice(0, 13))
  const days = ['31', '30', '29', '28', '27', '26', '25'].map((day) => `2026-12-${day}T23`)
  // Weeks end on Sunday.
  const weeks = ['2026-12-20T23', '2026-12-13T23']
  const months = ['2026-11-30T23', '2026-10-31T23', '2026-09-30T23', '2026-08-31T23', '2026-07-31T23']
  assert.deepEqual(kept, [...days, ...weeks, ...months])
})

test('the newest backup stays even when nothing is to be kept, and days without any take no place', () => {
  const times = [at('2026-01-01T00:00:00Z'), at('2026-03-01T00:00:00Z'), at('2026-05-01T00:00:00Z')]
  const now = at('2026-06-01T00:00:00Z')
  assert.deepEqual(expiredBackups(times, { days: 0, weeks: 0, months: 0 }, now), [times[1], times[0]])
  assert.deepEqual(expiredBackups(times, { days: 2, weeks: 0, months: 0 }, now), [times[0]])
})

test('a backup from the future is neither deleted nor takes the place of one from before', () => {
  const future = at('2027-01-01T00:00:00Z')
  const times = [future, at('2026-01-01T00:00:00Z'), at('2026-01-02T00:00:00Z')]
  const now = at('2026-02-01T00:00:00Z')
  assert.deepEqual(expiredBackups(times, { days: 1, weeks: 0, months: 0 }, now), [times[1]])
})
