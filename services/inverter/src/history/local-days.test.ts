import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { clockOf, firstTimeOf, shownAt, timeOf } from './filling/device-clock.ts'
import { isTimeZone, LocalDays, offsetAt } from './local-days.ts'
import { slotMs } from './quantities.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'Europe/Dublin',
  'America/New_York',
  'America/Santiago',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Africa/Cairo',
]
const zone = fc.constantFrom(...zones)
const time = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) })

test('days follow each other without a gap, and each begins and ends with a slot, in every zone', () => {
  fc.assert(
    fc.property(zone, time, (name, ms) => {
      const days = new LocalDays(name)
      const day = days.at(ms)
      assert.ok(day.from <= ms && ms < day.until)
      assert.equal(days.at(day.until).from, day.until)
      assert.equal(days.at(day.from - 1).until, day.from)
      assert.deepEqual(days.on(day.date), day)
      assert.equal(day.from % slotMs, 0)
      assert.equal(day.until % slotMs, 0)
    }),
  )
})

test('a year has all of its days, two of them with another length where clocks change', () => {
  const hoursOf = (name: string, year: number) => {
    const days = new LocalDays(name)
    return days
      .between(days.on(`${year}-01-01`).from, days.on(`${year + 1}-01-01`).from)
      .map(({ date, from, until }) => [date, (until - from) / 3_600_000] as const)
  }
  for (const name of zones) assert.equal(hoursOf(name, 2027).length, 365, name)
  const unusual = (name: string) => hoursOf(name, 2027).filter(([, hours]) => hours !== 24)
  assert.deepEqual(unusual('Europe/Berlin'), [
    ['2027-03-28', 23],
    ['2027-10-31', 25],
  ])
  assert.deepEqual(unusual('Australia/Lord_Howe'), [
    ['2027-04-04', 24.5],
    ['2027-10-03', 23.5],
  ])
  assert.deepEqual(unusual('Asia/Kolkata'), [])
})

test('a time that an inverter shows is told, but for the hour that it shows twice', () => {
  fc.assert(
    fc.property(zone, time, (name, ms) => {
      const whole = Math.floor(ms / 1000) * 1000
      const clock = { zone: name }
      const told = timeOf(shownAt(whole, clock), clock)
      // The clocks are put back within the next or the last hours: only then it cannot be told.
      const isShownTwice = offsetAt(whole - 7_200_000, name) !== offsetAt(whole + 7_200_000, name)
      assert.ok(told === whole || (told === undefined && isShownTwice))
      assert.ok(firstTimeOf(shownAt(whole, clock), clock) <= whole)
    }),
  )
  const berlin = { zone: 'Europe/Berlin' }
  assert.equal(timeOf(Date.UTC(2027, 9, 31, 2, 30) / 1000, berlin), undefined)
  assert.equal(timeOf(Date.UTC(2027, 2, 28, 2, 30) / 1000, berlin), undefined)
  assert.equal(timeOf(Date.UTC(2027, 6, 1, 2, 30) / 1000, berlin), Date.UTC(2027, 6, 1, 0, 30))
})

test('the clock of an inverter tells whether it shows local time, UTC, or something else', () => {
  const now = Date.UTC(2027, 6, 1, 12)
  assert.deepEqual(clockOf(now + 7_200_000 + 40_000, now, 'Europe/Berlin'), { zone: 'Europe/Berlin' })
  assert.deepEqual(clockOf(now - 90_000, now, 'Europe/Berlin'), { zone: 'UTC' })
  const off = clockOf(now + 5 * 3_600_000, now, 'Europe/Berlin')
  assert.equal(timeOf(shownAt(now, off), off), now)
})

test('only names of time zones are taken', () => {
  assert.deepEqual(['Europe/Berlin', 'UTC', 'Mars/Base', '../etc'].map(isTimeZone), [true, true, false, false])
})
