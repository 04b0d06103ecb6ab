import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gradeScale, historyRange, historyStart, weeklyPoints, type GradeSample } from './weekly-points.ts'

const at = (text: string) => Date.parse(`${text}Z`)
// A Thursday.
const now = at('2026-11-19T12:00')
const sample = (text: string, grade: GradeSample['grade']): GradeSample => ({ grade, checkedAt: at(text) })
const shown = (samples: readonly GradeSample[], range = '30d') =>
  weeklyPoints(samples, historyRange(range), now).map(({ date, grade }) => `${date} ${grade}`)

test('the last grade of a week counts, from Monday to Sunday in UTC', () => {
  const samples = [
    sample('2026-11-09T00:00:00', 'C'),
    sample('2026-11-15T23:59:59', 'A'),
    sample('2026-11-16T00:00:00', 'B'),
  ]
  assert.deepEqual(shown(samples), ['2026-11-09 A', '2026-11-16 B'])
})

test('a week without a grade takes the previous one, also from before the range', () => {
  assert.deepEqual(shown([sample('2026-10-01T00:00', 'A+')]), [
    '2026-10-19 A+',
    '2026-10-26 A+',
    '2026-11-02 A+',
    '2026-11-09 A+',
  ])
})

test('a grade expires after forty days until there is a new one', () => {
  const samples = [sample('2026-09-15T00:00', 'A'), sample('2026-11-18T00:00', 'T')]
  assert.deepEqual(shown(samples), ['2026-10-19 A', '2026-11-16 T'])
})

test('a year has one point per week', () => {
  const samples = Array.from({ length: 400 }, (_, index) => ({
    grade: 'A' as const,
    checkedAt: now - (399 - index) * 86_400_000,
  }))
  assert.equal(weeklyPoints(samples, '1y', now).length, 53)
})

test('an unknown range falls back to ninety days', () => {
  assert.deepEqual([undefined, '2y', 'toString', '180d'].map(historyRange), ['90d', '90d', '90d', '180d'])
})

test('samples are read from forty days before the first Monday', () => {
  assert.equal(new Date(historyStart('30d', now)).toISOString(), '2026-09-09T00:00:00.000Z')
})

test('the grade scale maps A+ to 7, F to 0 and unrated results to -1', () => {
  assert.deepEqual([gradeScale['A+'], gradeScale.F, gradeScale.T, gradeScale.M, gradeScale.mixed], [7, 0, -1, -1, -1])
})
