import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisTicks, chartData, type ChartSeries, describeBucket, timeLabels } from './chart-figures.ts'
import { formatDay, formatTime } from '../format-time.ts'

const clock = (hour: string) => formatTime(new Date(`2026-11-21T${hour}Z`), { timeZone: 'UTC' })
const day = (date: string) => formatDay(new Date(date), { timeZone: 'UTC' })

const times = ['2026-11-21T00:00:00Z', '2026-11-21T01:00:00Z']
const series: ChartSeries[] = [
  { tone: 'bad', name: 'Blocked', values: [1, 2] },
  { tone: 'quiet', name: 'Allowed', values: [10, 20] },
]

test('stacked bars are drawn from the tallest to the shortest', () => {
  assert.deepEqual(chartData(times, series), [
    [1_795_219_200, 1_795_222_800],
    [11, 22],
    [1, 2],
  ])
})

test('lines keep their order and have a gap where values are missing', () => {
  const gap: ChartSeries[] = [
    { tone: 'accent', name: 'Half', values: [null, 3] },
    { tone: 'quiet', name: '95 %', values: [7, null] },
  ]
  assert.deepEqual(chartData(times, gap, 'lines').slice(1), [
    [null, 3],
    [7, null],
  ])
})

test('a scale has at most five round steps, and whole numbers when it is small', () => {
  assert.deepEqual(axisTicks(100), [0, 50, 100])
  assert.deepEqual(axisTicks(1), [0, 1])
  assert.deepEqual(axisTicks(1700), [0, 500, 1000, 1500])
  assert.deepEqual(
    axisTicks(3 * 1024 ** 2, { base: 1024 }),
    [0, 1, 2, 3].map((value) => value * 1024 ** 2),
  )
  for (const maximum of [1, 7, 99, 1023, 1025, 5e6, 3e11])
    assert.ok(axisTicks(maximum, { base: 1024 }).length <= 5, `${maximum}`)
})

test('a scale of rates may have steps below one', () => {
  const ticks = axisTicks(0.05, { smallest: 0.01 })
  assert.deepEqual(
    ticks.map((tick) => Number(tick.toPrecision(2))),
    [0, 0.02, 0.04],
  )
  assert.deepEqual(axisTicks(0, { smallest: 0.01 }), [0])
})

test('an axis shows times, and the date where a day begins', () => {
  const hours = [22, 23, 24, 25].map((hour) => Date.UTC(2026, 10, 20, hour) / 1000)
  assert.deepEqual(timeLabels(hours, true), [clock('22:00'), clock('23:00'), day('2026-11-21'), clock('01:00')])
  assert.deepEqual(timeLabels([0, 7 * 86_400], true), [day('1970-01-01'), day('1970-01-08')])
  const years = ['2026-01-01', '2027-01-01'].map((date) => Date.parse(date) / 1000)
  assert.deepEqual(timeLabels(years, true), ['2026', '2027'])
})

test('a bucket has a text description', () => {
  const chart = { times, series, format: String, formatTime: (time: string) => time.slice(11, 16) }
  assert.equal(describeBucket(chart, 1), '01:00: Blocked 2, Allowed 20')
  const gap = { ...chart, series: [{ ...series[0], values: [1, null] } as ChartSeries] }
  assert.equal(describeBucket(gap, 1), '01:00: no data')
})
