import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import * as fc from 'fast-check'
import { countsUntil, type Marks, nextTurn, type QuotaPeriod, turnMarks, usedSince } from './accounting.ts'
import { dayStart, monthStart, nextMonthStart } from './periods.ts'

const ownZone = process.env['TZ']
afterEach(() => {
  if (ownZone === undefined) delete process.env['TZ']
  else process.env['TZ'] = ownZone
})

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Africa/Cairo']
const zone = fc.constantFrom(...zones)
const time = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) })
const hour = 3_600_000

test('months begin at midnight of their day, and follow each other without gap or overlap, over clock changes as well', () => {
  fc.assert(
    fc.property(zone, time, fc.integer({ min: 1, max: 31 }), (name, at, day) => {
      process.env['TZ'] = name
      const [begin, end] = [monthStart(at, day), nextMonthStart(at, day)]
      assert.ok(begin <= at && at < end)
      assert.equal(monthStart(end, day), end)
      assert.equal(monthStart(end - 1, day), begin)
      assert.equal(nextMonthStart(begin, day), end)
      const length = (end - begin) / (24 * hour)
      assert.ok(length > 27.9 && length < 31.1, `${length} days`)
      const date = new Date(end)
      const lastDay = new Date(date.getFullYear(), date.getMonth() + 1, 0).getDate()
      assert.equal(date.getDate(), Math.min(day, lastDay))
    }),
  )
})

test('a month that begins on the 31st begins on the last day of shorter ones', () => {
  process.env['TZ'] = 'Europe/Berlin'
  const local = (at: number) => new Date(at).toLocaleString('sv')
  let at = nextMonthStart(new Date(2028, 0, 5).getTime(), 31)
  const begins = [at, (at = nextMonthStart(at, 31)), (at = nextMonthStart(at, 31)), nextMonthStart(at, 31)]
  assert.deepEqual(begins.map(local), [
    '2028-01-31 00:00:00',
    '2028-02-29 00:00:00',
    '2028-03-31 00:00:00',
    '2028-04-30 00:00:00',
  ])
})

/** A sample of a peer: hours since the last, and the bytes in them. */
const samples = fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), fc.nat(1000)), { minLength: 1, maxLength: 200 })

test('what is used is the traffic since the period began, whatever the samples, zones and clock changes', () => {
  const periods = fc.record({
    period: fc.constantFrom('month' as const, 'rolling' as const),
    start_day: fc.integer({ min: 1, max: 31 }),
  })
  fc.assert(
    fc.property(zone, time, samples, periods, (name, start, list, quota: QuotaPeriod) => {
      process.env['TZ'] = name
      const now = { at: start, total: 5000 }
      let marks: Marks = [{ ...now }]
      const seen: { at: number; bytes: number }[] = []
      for (const [hours, bytes] of list) {
        now.at += hours * hour
        // A turn comes with the sample before its bytes, as the sampler's rounds are far shorter than a day.
        marks = turnMarks(marks, quota, { ...now })
        now.total += bytes
        seen.push({ at: now.at, bytes })
        const begin = quota.period === 'month' ? monthStart(now.at, quota.start_day) : dayStart(now.at, -29)
        const expected = seen.filter(({ at }) => at >= begin).reduce((sum, each) => sum + each.bytes, 0)
        assert.equal(usedSince(marks, now.total), expected)
        assert.equal(turnMarks(marks, quota, now), marks, 'nothing turns twice')
        const next = nextTurn(marks, quota)
        assert.ok(next > now.at)
        assert.equal(turnMarks(marks, quota, { ...now, at: next - 1 }), marks)
        assert.notEqual(turnMarks(marks, quota, { ...now, at: next }), marks)
        assert.ok(marks.length <= 31)
        assert.ok(countsUntil(marks, { ...quota, bytes: 1000 }, now.total) > now.at)
      }
    }),
    { numRuns: 200 },
  )
})

test('with a rolling period, less than the quota is left at the time it names, and not before', () => {
  fc.assert(
    fc.property(zone, time, samples, fc.integer({ min: 1, max: 5000 }), (name, start, list, bytes) => {
      process.env['TZ'] = name
      const quota = { period: 'rolling', start_day: 1, bytes } as const
      const now = { at: start, total: 0 }
      let marks: Marks = [{ ...now }]
      for (const [hours, more] of list) {
        now.at += hours * hour
        marks = turnMarks(marks, quota, { ...now })
        now.total += more
      }
      if (usedSince(marks, now.total) < bytes) return
      const until = countsUntil(marks, quota, now.total)
      const usedAt = (at: number) => usedSince(turnMarks(marks, quota, { at, total: now.total }), now.total)
      assert.ok(usedAt(until) < bytes)
      assert.ok(usedAt(until - 1) >= bytes)
    }),
  )
})

test('a clock that was believed although a year ahead does not hold the count until then', () => {
  process.env['TZ'] = 'Europe/Berlin'
  const now = Date.UTC(2026, 10, 26)
  const quota = { period: 'month', start_day: 1 } as const
  const ahead = turnMarks([{ at: now, total: 0 }], quota, { at: Date.UTC(2027, 10, 26), total: 10 })
  const back = turnMarks(ahead, quota, { at: now, total: 12 })
  assert.equal(usedSince(back, 12), 2)
  assert.equal(new Date(countsUntil(back, { ...quota, bytes: 5 }, 12)).toLocaleDateString('sv'), '2026-12-01')
})
