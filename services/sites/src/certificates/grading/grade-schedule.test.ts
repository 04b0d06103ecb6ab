import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as check, domain, property } from 'fast-check'
import { createLog, createManualClock } from '@hearth/runtime'
import { GradeFailed } from '../grader/grader.ts'
import type { SiteHost } from '../site-host.ts'
import type { GradeRow, ScanRow } from '../tables.ts'
import { dueAt, GradeSchedule, rhythms } from './grade-schedule.ts'

const hour = 3_600_000
const day = 24 * hour

test('a weekly host is due 7 to 8 days later, at a time that depends on its name', () => {
  check(
    property(array(domain(), { minLength: 30, maxLength: 30 }), (hosts) => {
      const moments = hosts.map((host) => dueAt(host, 1000, rhythms.weekly) - 1000)
      assert.ok(moments.every((moment) => moment >= 7 * day && moment < 8 * day))
    }),
  )
  assert.notEqual(dueAt('a.example', 0, rhythms.weekly), dueAt('b.example', 0, rhythms.weekly))
  assert.equal(dueAt('a.example', undefined, rhythms.daily), 0)
})

function openSchedule(sites: readonly Partial<SiteHost>[]) {
  const clock = createManualClock(1_800_000_000_000)
  const graded: string[] = []
  const scanned: string[] = []
  const settings = { rhythm: 'daily' as 'off' | 'daily' | 'weekly', isSslLabsOn: true, isBroken: false }
  const latest = new Map<string, Pick<GradeRow, 'host' | 'source' | 'checked_at'>>()
  const scans = new Map<string, ScanRow>()
  const schedule = new GradeSchedule({
    hosts: {
      list: () =>
        Promise.resolve(
          sites.map((site) => ({
            siteId: 1,
            host: 'a.example',
            tlsMode: 'auto' as const,
            changedAt: 0,
            mayBeScanned: false,
            ...site,
          })),
        ),
      endpoint: () => Promise.resolve(undefined),
    },
    inventory: { list: () => Promise.resolve([]) },
    grading: {
      grade(host) {
        graded.push(host)
        if (settings.isBroken) return Promise.reject(new GradeFailed('nothing answers'))
        latest.set(`local ${host}`, { host, source: 'local', checked_at: clock.now() })
        return Promise.resolve({} as never)
      },
    },
    scans: {
      list: () => Promise.resolve([...scans.values()]),
      request({ host, siteId }) {
        scanned.push(host)
        const scan: ScanRow = {
          host,
          site_id: siteId,
          state: 'failed',
          is_fresh: 1,
          requested_at: clock.now(),
          started_at: clock.now(),
          last_fresh_at: clock.now(),
          finished_at: clock.now(),
          grade: null,
          message: null,
        }
        scans.set(host, scan)
        return Promise.resolve(scan)
      },
    },
    history: {
      record: () => Promise.resolve(),
      latest: () => Promise.resolve([...latest.values()] as GradeRow[]),
      series: () => Promise.resolve({ days: 0, series: [] }),
      tidy: () => Promise.resolve(),
    },
    timers: { ...clock, after: () => () => undefined, delay: () => Promise.resolve() },
    log: createLog({ name: 'test', level: 'silent' }),
    rhythm: () => settings.rhythm,
    isSslLabsOn: () => settings.isSslLabsOn,
  })
  return { schedule, clock, graded, scanned, settings }
}

test('hosts with TLS are graded once a day', async () => {
  const { schedule, clock, graded } = openSchedule([{}, { host: 'plain.example', tlsMode: 'off' }])
  await schedule.run()
  await schedule.run()
  clock.advance(23 * hour)
  await schedule.run()
  assert.deepEqual(graded, ['a.example'])
  clock.advance(3 * hour)
  await schedule.run()
  assert.equal(graded.length, 2)
})

test('a failed grading is retried after an hour, and nothing is graded while grading is off', async () => {
  const { schedule, clock, graded, settings } = openSchedule([{}])
  settings.isBroken = true
  await schedule.run()
  await schedule.run()
  clock.advance(hour)
  await schedule.run()
  assert.equal(graded.length, 2)
  settings.rhythm = 'off'
  clock.advance(8 * day)
  await schedule.run()
  assert.equal(graded.length, 2)
})

test('SSL Labs receives only opted-in hosts, once a week, and none while it is off', async () => {
  const { schedule, clock, scanned, settings } = openSchedule([{}, { host: 'public.example', mayBeScanned: true }])
  settings.isSslLabsOn = false
  await schedule.run()
  assert.deepEqual(scanned, [])
  settings.isSslLabsOn = true
  await schedule.run()
  clock.advance(6 * day)
  await schedule.run()
  assert.deepEqual(scanned, ['public.example'])
  clock.advance(2 * day)
  await schedule.run()
  assert.equal(scanned.length, 2)
})
