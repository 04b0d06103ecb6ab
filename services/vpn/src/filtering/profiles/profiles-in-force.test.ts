import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { migrations } from '../../database/migrations/index.ts'
import type { Tables } from '../../tables.ts'
import { holdingAt, type ScheduledProfile } from './holding.ts'
import { ProfilesInForce } from './profiles-in-force.ts'
import type { Schedule, ScheduleTime } from './schedule.ts'
import { insertProfileRow } from './store.ts'
import type { DnsProfileRow } from './tables.ts'

test('the profile for the rest of the time has its own schedule, and what changes nothing is passed over', () => {
  const times = (from: string, to: string): ScheduleTime[] => [{ days: ['mon', 'tue'], from, to }]
  const schedule = (time: ScheduleTime[], otherwise: string | null): Schedule => ({
    time_zone: null,
    times: time,
    otherwise,
  })
  const profiles = new Map<string, ScheduledProfile>([
    ['school', { id: 'school', schedule: schedule(times('08:00', '13:00'), 'free') }],
    ['free', { id: 'free', schedule: schedule(times('13:00', '20:00'), null) }],
    ['always', { id: 'always', schedule: null }],
    ['loop', { id: 'loop', schedule: schedule(times('08:00', '09:00'), 'loop') }],
  ])
  const context = { others: (id: string) => profiles.get(id), zone: 'UTC' }
  const at = (id: string, time: string) => {
    const { profile, next } = holdingAt(profiles.get(id)!, Date.parse(time), context)
    return [profile?.id, next && new Date(next.at).toISOString().slice(0, 16), next?.profile?.id]
  }
  // 30 November 2026 is a Monday.
  assert.deepEqual(at('school', '2026-11-30T07:00Z'), [undefined, '2026-11-30T08:00', 'school'])
  assert.deepEqual(at('school', '2026-11-30T08:00Z'), ['school', '2026-11-30T13:00', 'free'])
  assert.deepEqual(at('school', '2026-11-30T19:59Z'), ['free', '2026-11-30T20:00', undefined])
  assert.deepEqual(at('school', '2026-12-01T21:00Z'), [undefined, '2026-12-07T08:00', 'school'])
  assert.deepEqual(at('always', '2026-12-01T21:00Z'), ['always', undefined, undefined])
  assert.deepEqual(at('loop', '2026-11-30T08:30Z'), ['loop', '2026-11-30T09:00', undefined])
})

test('profiles change on one timer: at the next change, after a sleep, and when the wall clock jumps', async () => {
  const hour = 3_600_000
  const database = openDatabase<Tables>({ file: ':memory:' })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => database.close())
  await migrate(database.query, migrations)
  const clock = createManualClock(Date.parse('2026-11-30T07:00Z'))
  const waits: { ms: number; run: () => void }[] = []
  const timers = {
    now: () => clock.now(),
    after(ms: number, run: () => void) {
      const wait = { ms, run }
      waits.push(wait)
      return () => void waits.splice(waits.indexOf(wait), 1)
    },
  }
  const told: (number | undefined)[] = []
  const inForce: ProfilesInForce = new ProfilesInForce({
    db: database.query,
    timers,
    log: { error: () => assert.fail() },
    zone: 'UTC',
    publish: async () => void told.push(inForce.forResolver()[0]?.holds),
  })
  const look = () => {
    assert.equal(waits.length, 1, 'there is one timer')
    waits[0]!.run()
  }
  await inForce.reload()
  assert.deepEqual(inForce.forResolver(), [])
  assert.equal(waits.length, 0, 'nothing waits without profiles')
  await insertProfileRow(database.query, {
    ...plainRow,
    schedule: JSON.stringify({
      time_zone: null,
      times: [{ days: ['mon'], from: '08:00', to: '09:00' }],
      otherwise: null,
    }),
  })
  await inForce.reload()
  assert.equal(inForce.forResolver()[0]?.holds, 0)
  assert.ok(waits[0]!.ms <= 20_000)
  look()
  assert.deepEqual(told, [], 'nothing is told before the time')
  clock.advance(hour - 5000)
  look()
  assert.equal(waits[0]!.ms, 5000, 'the last wait ends with the change')
  clock.advance(5000)
  look()
  assert.deepEqual(told, [7])
  // The machine slept: hours went by on the wall, and the timer is late.
  clock.jump(5 * hour)
  look()
  assert.deepEqual(told, [7, 0])
  // Somebody sets the clock back into the time.
  clock.jump(-4.5 * hour)
  look()
  assert.deepEqual(told, [7, 0, 7])
  inForce.close()
  assert.equal(waits.length, 0)
})

const plainRow: DnsProfileRow = {
  id: 'one',
  number: 7,
  name: 'One',
  name_key: 'one',
  lists: null,
  rules: '[]',
  services: '[]',
  block_mode: null,
  safe_search: 0,
  youtube: null,
  self_pause_minutes: 0,
  schedule: null,
  paused_until: 0,
  created_at: 0,
  created_by: null,
}
