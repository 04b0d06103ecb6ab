import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gradePoints } from './grade-steps.ts'

test('the line of a host goes from week to week, and on to now', () => {
  const now = Date.parse('2026-11-21T00:00:00Z')
  const point = (date: string, grade: 'A+' | 'T', rank: number) => ({ date, grade, rank })
  const points = [point('2026-10-22', 'A+', 7), point('2026-11-06', 'T', -1)]
  const [line] = gradePoints([{ host: 'a.test', source: 'local', points }], 30, now)
  assert.equal(line?.path, 'M0 8.9L300 151.1H600')
  assert.equal(gradePoints([{ host: 'a.test', source: 'local', points: [] }], 30, now)[0]?.path, '')
})
