import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadProfile, type QuarterLoad } from './load-profile.ts'

const zone = 'Europe/Berlin'
const monday = Date.parse('2026-09-14T00:00+02:00')

/** Loads of days from a Monday on, by their hour and the number of their day. */
const days = (count: number, watts: (hour: number, day: number) => number): QuarterLoad[] =>
  Array.from({ length: count * 96 }, (_, index) => ({
    from: monday + index * 900_000,
    watts: watts((index % 96) / 4, Math.floor(index / 96)),
  }))

const at = (profile: LoadProfile, text: string) => Math.round(profile.at(Date.parse(text)))

test('a house of which nothing is known takes something, and one day is a first guess for all', () => {
  assert.equal(at(new LoadProfile([], zone), '2026-11-27T12:00+01:00'), 400)
  const first = new LoadProfile(
    days(1, (hour) => (hour >= 18 && hour < 22 ? 2000 : 300)),
    zone,
  )
  assert.equal(at(first, '2026-10-24T20:00+02:00'), 2000)
  assert.equal(at(first, '2026-10-24T03:00+02:00'), 300)
})

test('weekends differ from working days after a week, and one weekday from others after some', () => {
  const noon = (day: number) => (day % 7 === 2 ? 3000 : day % 7 >= 5 ? 1500 : 500)
  const profile = new LoadProfile(
    days(35, (hour, day) => (hour >= 11 && hour < 14 ? noon(day) : 200)),
    zone,
  )
  assert.equal(at(profile, '2026-11-28T12:00+01:00'), 1500)
  assert.equal(at(profile, '2026-11-27T12:00+01:00'), 500)
  assert.equal(at(profile, '2026-11-25T12:00+01:00'), 3000)
})

test('one wild evening changes little, and habits keep to the clock when it changes', () => {
  const profile = new LoadProfile(
    days(35, (hour, day) => (hour >= 20 && day === 30 ? 9000 : hour >= 20 ? 800 : 300)),
    zone,
  )
  assert.ok(at(profile, '2026-11-20T21:00+01:00') < 900)
  assert.equal(at(profile, '2026-11-26T19:00+01:00'), 300)
})
