import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisTicks, barLayout, pointedWords, timeLabels } from './plot-shapes.ts'
import { formatDay, formatTime } from '@hearth/ui/format-time'

const clock = (hour: string) => formatTime(new Date(`2026-11-21T${hour}Z`), { timeZone: 'UTC' })
const day = (date: string) => formatDay(new Date(date), { timeZone: 'UTC' })

const times = ['2026-11-21T00:00:00Z', '2026-11-21T01:00:00Z']
const series = [
  { kind: 'blocked', name: 'Blocked', values: [1, 2] },
  { kind: 'allowed', name: 'Allowed', values: [10, 20] },
]

test('bars stand on each other, the tallest drawn first', () => {
  assert.deepEqual(barLayout(times, series), [
    [1_795_219_200, 1_795_222_800],
    [11, 22],
    [1, 2],
  ])
})

test('a scale has at most five round steps and always whole numbers when it is small', () => {
  assert.deepEqual(axisTicks(100, 1000), [0, 50, 100])
  assert.deepEqual(axisTicks(1, 1000), [0, 1])
  assert.deepEqual(axisTicks(1700, 1000), [0, 500, 1000, 1500])
  assert.deepEqual(
    axisTicks(3 * 1024 ** 2, 1024),
    [0, 1, 2, 3].map((value) => value * 1024 ** 2),
  )
  for (const most of [1, 7, 99, 1023, 1025, 5e6, 3e11]) assert.ok(axisTicks(most, 1024).length <= 5, `${most}`)
})

test('an axis shows times, and the day where one begins', () => {
  const hours = [22, 23, 24, 25].map((hour) => Date.UTC(2026, 10, 20, hour) / 1000)
  assert.deepEqual(timeLabels(hours, true), [clock('22:00'), clock('23:00'), day('2026-11-21'), clock('01:00')])
  assert.deepEqual(timeLabels([0, 7 * 86_400], true), [day('1970-01-01'), day('1970-01-08')])
})

test('a bucket is told in words', () => {
  const chart = { times, series, format: String, formatTime: (time: string) => time.slice(11, 16) }
  assert.equal(pointedWords(chart, 1), '01:00: Blocked 2, Allowed 20')
})
