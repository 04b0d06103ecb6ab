import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gradeLines, gradeSteps, gradeWeeks } from './grade-steps.ts'

const point = (date: string, grade: 'A+' | 'T', rank: number) => ({ date, grade, rank })
const points = [point('2026-10-26', 'A+', 7), point('2026-11-16', 'T', -1)]
const host = { host: 'a.test', source: 'local', points } as const

test('a host’s series has one value a week and keeps a grade until the next', () => {
  const weeks = gradeWeeks([host], 30)
  assert.deepEqual(
    weeks.map((week) => week.slice(0, 10)),
    ['2026-10-19', '2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16'],
  )
  const [line] = gradeLines([host], weeks)
  const best = gradeSteps.indexOf('A+')
  assert.deepEqual(line?.values, [null, best, best, best, gradeSteps.indexOf('T M')])
})

test('a host that was never graded has no series', () => {
  const never = { ...host, points: [] }
  assert.deepEqual(gradeWeeks([never], 30), [])
  assert.deepEqual(gradeLines([never], ['2026-11-16T00:00:00.000Z'])[0]?.values, [null])
})
