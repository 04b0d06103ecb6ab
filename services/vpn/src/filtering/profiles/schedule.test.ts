import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testSeed } from '@hearth/testing'
import { horizonMs, isTimeZone, type ScheduleTime, scheduleAt, weekdays } from './schedule.ts'

const minute = 60_000
const hour = 60 * minute

/** The moment that a clock in a zone shows; of two the first. */
const at = (text: string, zone: string) =>
  Temporal.PlainDateTime.from(text).toZonedDateTime(zone, { disambiguation: 'earlier' }).epochMilliseconds

const state = (times: readonly ScheduleTime[], now: number, zone: string) =>
  scheduleAt({ time_zone: zone, times, otherwise: null }, now, 'UTC')

/** All moments at which it changes in a time, with what it is from then on. */
function changes(times: readonly ScheduleTime[], zone: string, from: number, to: number) {
  const found: { at: number; isOn: boolean }[] = []
  for (let now = from; ;) {
    const { until } = state(times, now, zone)
    if (until === undefined || until > to) return found
    found.push({ at: until, isOn: state(times, until, zone).isOn })
    now = until
  }
}

const daily = (from: string, to: string): ScheduleTime[] => [{ days: weekdays, from, to }]

/** Changes of one day in Berlin, as the clock there shows them, with the offset from UTC. */
function berlin(times: readonly ScheduleTime[], date: string) {
  const zone = 'Europe/Berlin'
  const start = at(`${date}T00:00`, zone)
  const end = at(`${Temporal.PlainDate.from(date).add({ days: 1 }).toString()}T00:00`, zone)
  return changes(times, zone, start, end).map(({ at: moment, isOn }) => {
    const shown = Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone)
    return `${shown.toPlainTime().toString({ smallestUnit: 'minute' })}${shown.offset} ${isOn ? 'on' : 'off'}`
  })
}

test('a time over midnight belongs to the day on which it begins', () => {
  const night: ScheduleTime[] = [{ days: ['fri'], from: '22:00', to: '06:00' }]
  const zone = 'Europe/Berlin'
  // 27 November 2026 is a Friday.
  assert.equal(state(night, at('2026-11-27T21:59', zone), zone).isOn, false)
  assert.equal(state(night, at('2026-11-27T22:00', zone), zone).isOn, true)
  assert.equal(state(night, at('2026-11-28T05:59', zone), zone).isOn, true)
  assert.equal(state(night, at('2026-11-28T06:00', zone), zone).isOn, false)
  assert.equal(state(night, at('2026-11-28T22:00', zone), zone).isOn, false)
  assert.equal(state(night, at('2026-11-28T22:00', zone), zone).until, at('2026-12-04T22:00', zone))
})

test('times that touch are one, and a whole week has no change', () => {
  const both = [...daily('08:00', '12:00'), ...daily('12:00', '24:00'), ...daily('23:00', '23:30')]
  assert.deepEqual(berlin(both, '2026-06-01'), ['08:00+02:00 on', '00:00+02:00 off'])
  const now = at('2026-06-01T10:00', 'Europe/Berlin')
  assert.deepEqual(state(daily('00:00', '24:00'), now, 'Europe/Berlin'), { isOn: true, until: undefined })
})

test('a time that clocks skip is the moment in which they do', () => {
  // 29 March 2026: 02:00 is followed by 03:00.
  assert.deepEqual(berlin(daily('02:30', '05:00'), '2026-03-29'), ['03:00+02:00 on', '05:00+02:00 off'])
  assert.deepEqual(berlin(daily('01:00', '02:30'), '2026-03-29'), ['01:00+01:00 on', '03:00+02:00 off'])
  assert.deepEqual(berlin(daily('02:15', '02:45'), '2026-03-29'), [])
  assert.deepEqual(berlin(daily('01:30', '03:30'), '2026-03-29'), ['01:30+01:00 on', '03:30+02:00 off'])
})

test('a time that clocks show twice begins with the first and ends with the second', () => {
  // 25 October 2026: 02:59 in summer time is followed by 02:00.
  assert.deepEqual(berlin(daily('02:30', '05:00'), '2026-10-25'), ['02:30+02:00 on', '05:00+01:00 off'])
  assert.deepEqual(berlin(daily('01:00', '02:30'), '2026-10-25'), ['01:00+02:00 on', '02:30+01:00 off'])
  assert.deepEqual(berlin(daily('02:15', '02:45'), '2026-10-25'), ['02:15+02:00 on', '02:45+01:00 off'])
})

test('a time zone is known by its name', () => {
  assert.deepEqual(['Europe/Berlin', 'UTC', 'Mars/Base', ''].map(isTimeZone), [true, true, false, false])
})

/** Zones with clock changes at other times, of other lengths, on the other half of the earth, at midnight, and none. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'America/Havana',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kolkata',
  'Pacific/Chatham',
  'Atlantic/Azores',
  'America/St_Johns',
  'UTC',
]

function createDice(seed: number) {
  let value = seed
  return (below: number) => {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((value / 2 ** 32) * below)
  }
}

const text = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** What the clock on the wall says, found without the code under test: the day's place in the week, and minutes. */
function createWall(zone: string) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (moment: number) => {
    const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]))
    return {
      day: weekdays.findIndex((day) => day === parts['weekday']?.toLowerCase()),
      minutes: Number(parts['hour']) * 60 + Number(parts['minute']),
    }
  }
}

/** True when the wall shows a time within one of the schedule's. */
function isShown(times: readonly ScheduleTime[], { day, minutes }: { day: number; minutes: number }): boolean {
  return times.some(({ days, from, to }) => {
    const start = Number(from.slice(0, 2)) * 60 + Number(from.slice(3))
    const end = Number(to.slice(0, 2)) * 60 + Number(to.slice(3))
    const begins = (place: number) => days.includes(weekdays[(place + 7) % 7]!)
    if (start < end) return begins(day) && minutes >= start && minutes < end
    return (begins(day) && minutes >= start) || (begins(day - 1) && minutes < end)
  })
}

for (const zone of zones) {
  test(`schedules in ${zone} follow the clock on the wall over both clock changes`, (context) => {
    context.diagnostic(`TEST_SEED=${testSeed}`)
    const roll = createDice(testSeed)
    const wall = createWall(zone)
    const year = Temporal.Instant.from('2026-01-01T00:00Z').toZonedDateTimeISO(zone)
    const around = [year]
    for (let next = year.getTimeZoneTransition('next'); next !== null && around.length < 3;) {
      around.push(next)
      next = next.getTimeZoneTransition('next')
    }
    for (let round = 0; round < 12; round++) {
      const times = Array.from({ length: 1 + roll(3) }, (): ScheduleTime => {
        const from = roll(96) * 15
        const to = (from + 15 * (1 + roll(95))) % 1440
        const days = weekdays.filter(() => roll(3) > 0)
        return { days: days.length === 0 ? ['sun'] : days, from: text(from), to: to === 0 ? '24:00' : text(to) }
      })
      const middle = around[round % around.length]!.epochMilliseconds
      const from = middle - 30 * hour
      const found = changes(times, zone, from, middle + 30 * hour)
      let isOn = state(times, from, zone).isOn
      for (const [index, change] of found.entries()) {
        assert.notEqual(change.isOn, isOn, 'every change is one')
        assert.ok(change.at > (found[index - 1]?.at ?? from), 'changes are in their order')
        ;({ isOn } = change)
      }
      for (let now = from; now < middle + 30 * hour; now += 15 * minute) {
        const { isOn: holds, until } = state(times, now, zone)
        assert.ok(until === undefined || (until > now && until <= now + horizonMs))
        const here = wall(now)
        const isTwice = [-2, -1, -0.5, 0.5, 1, 2].some((hours) => {
          const there = wall(now + hours * hour)
          return there.day === here.day && there.minutes === here.minutes
        })
        const shows = isShown(times, here)
        const what = `${zone} ${new Date(now).toISOString()} ${JSON.stringify(times)} TEST_SEED=${testSeed}`
        // Never less than the wall shows; more only while it shows a time for the first or second time.
        if (shows) assert.ok(holds, what)
        else if (holds) assert.ok(isTwice, what)
      }
    }
  })
}
