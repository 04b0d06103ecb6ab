import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createManualClock } from '@hearth/runtime'
import { dayMs, PendingResults } from './pending-results.ts'
import { Subjects } from './subjects.ts'

const good = { latencyMs: 12, cameBack: '200 OK.', failure: undefined }
const bad = {
  latencyMs: undefined,
  cameBack: '502 Bad Gateway.',
  failure: { kind: 'status', asked: 'GET /', came_back: '502 Bad Gateway.', advice: '' } as const,
}
const minute = 60_000

/** A site that is checked each minute; a check is good, failed, or left out because of maintenance. */
function openSite(start = Date.UTC(2026, 2, 10, 12)) {
  const clock = createManualClock(start)
  let pending = new PendingResults()
  let subjects = new Subjects(clock, pending)
  const days = new Map<string, number>()
  const stored = new Map<string, Parameters<Subjects['open']>[0][number]>()
  const incidents = new Map<string, Parameters<Subjects['open']>[1][number]>()
  const flush = () => {
    const batch = pending.take()
    for (const [, day] of batch?.forgotten ?? [])
      for (const key of days.keys()) if (Number(key.split(' ')[0]) > day) days.delete(key)
    for (const row of batch?.days ?? [])
      for (const kind of ['up_ms', 'down_ms', 'maintenance_ms'] as const)
        days.set(`${row.day} ${kind}`, (days.get(`${row.day} ${kind}`) ?? 0) + row[kind])
    for (const row of batch?.subjects ?? []) stored.set(row.subject, row)
    for (const row of batch?.incidents ?? []) incidents.set(row.id, row)
  }
  return {
    clock,
    check(result: 'good' | 'bad' | 'maintenance', afterMs = minute) {
      clock.advance(afterMs)
      const outcome = result === 'good' ? good : result === 'bad' ? bad : undefined
      return subjects.observe({ subject: 'site:1', outcome, maxGap: 5 * minute, failures: 3 })
    },
    /** Stops, or is killed with what was not written; starts again after a while. */
    restart(awayMs: number, isKilled = false) {
      if (!isKilled) flush()
      clock.advance(awayMs)
      pending = new PendingResults()
      subjects = new Subjects(clock, pending)
      subjects.open(
        [...stored.values()],
        [...incidents.values()].filter((incident) => incident.ended_at === null),
      )
    },
    flush,
    minutes(kind: 'up_ms' | 'down_ms' | 'maintenance_ms') {
      flush()
      return [...days].reduce((sum, [key, ms]) => (key.endsWith(` ${kind}`) ? sum + ms : sum), 0) / minute
    },
    days: () => (flush(), days),
    incidents: () => (flush(), [...incidents.values()]),
  }
}

test('time between good checks is up; a single failure is no downtime', () => {
  const site = openSite()
  for (const result of ['good', 'good', 'bad', 'good', 'bad', 'bad', 'good'] as const)
    assert.equal(site.check(result), undefined)
  assert.deepEqual([site.minutes('up_ms'), site.minutes('down_ms')], [6, 0])
  assert.deepEqual(site.incidents(), [])
})

test('downtime begins with the first failed check and ends with the first good one', () => {
  const site = openSite()
  site.check('good')
  const changes = (['bad', 'bad', 'bad', 'bad', 'good', 'bad', 'good', 'good', 'good'] as const).map((result) =>
    site.check(result),
  )
  assert.deepEqual(changes, [undefined, undefined, 'down', undefined, undefined, undefined, undefined, 'up', undefined])
  // One minute until the first failure, six of the incident, two after its end.
  assert.deepEqual([site.minutes('up_ms'), site.minutes('down_ms')], [3, 6])
  const [incident, ...more] = site.incidents()
  assert.deepEqual(more, [])
  assert.deepEqual([(incident!.ended_at! - incident!.began_at) / minute, incident!.lasted_ms / minute], [6, 6])
})

test('the time for which the service was away is not observed', () => {
  const site = openSite()
  site.check('good')
  site.check('good')
  site.restart(60 * minute)
  site.check('good')
  site.check('good')
  assert.deepEqual([site.minutes('up_ms'), site.minutes('down_ms')], [2, 0])
})

test('an incident goes on across a restart, and counts observed time alone', () => {
  const site = openSite()
  for (const result of ['good', 'bad', 'bad', 'bad', 'bad'] as const) site.check(result)
  site.restart(60 * minute)
  for (const result of ['bad', 'bad', 'good', 'good'] as const) site.check(result)
  const [incident, ...more] = site.incidents()
  assert.deepEqual(more, [])
  assert.equal(incident!.lasted_ms / minute, 5)
  assert.equal((incident!.ended_at! - incident!.began_at) / minute, 3 + 61 + 2)
  assert.deepEqual([site.minutes('up_ms'), site.minutes('down_ms')], [2, 5])
})

test('what a killed service had not written is not observed', () => {
  const site = openSite()
  site.check('good')
  site.check('good')
  site.flush()
  site.check('good')
  site.restart(0, true)
  site.check('good')
  site.check('good')
  assert.equal(site.minutes('up_ms'), 2)
})

test('a pause of the process is not observed', () => {
  const site = openSite()
  site.check('good')
  site.check('good', 20 * minute)
  site.check('good')
  assert.equal(site.minutes('up_ms'), 1)
})

test('maintenance is neither up nor down, and ends an incident', () => {
  const site = openSite()
  const results = ['good', 'bad', 'bad', 'bad', 'maintenance', 'maintenance', 'bad', 'good', 'good'] as const
  const changes = results.map((result) => site.check(result))
  assert.deepEqual(changes, [
    undefined,
    undefined,
    undefined,
    'down',
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  assert.deepEqual([site.minutes('up_ms'), site.minutes('down_ms'), site.minutes('maintenance_ms')], [3, 3, 2])
  assert.notEqual(site.incidents()[0]?.ended_at, null)
})

test('a clock that is set back counts no time twice', () => {
  const site = openSite(Date.UTC(2026, 2, 10, 23, 30))
  for (let count = 0; count < 61; count += 1) site.check('good')
  assert.equal(site.minutes('up_ms'), 60)
  site.clock.jump(-45 * minute)
  for (let count = 0; count < 50; count += 1) site.check('good')
  assert.equal(site.minutes('up_ms'), 65)
})

test('a clock that is set forward counts the observed time alone', () => {
  const site = openSite()
  site.check('good')
  site.clock.jump(5 * 60 * minute)
  site.check('good')
  site.check('good')
  assert.equal(site.minutes('up_ms'), 2)
})

test('a clock that was years ahead leaves no days in the future', () => {
  const site = openSite()
  site.check('good')
  site.check('good')
  site.clock.jump(1000 * dayMs)
  for (let count = 0; count < 10; count += 1) site.check('good')
  site.clock.jump(-1000 * dayMs)
  for (let count = 0; count < 61 + 10; count += 1) site.check('good')
  const today = Math.floor(site.clock.now() / dayMs)
  assert.deepEqual(
    [...site.days().keys()].filter((key) => Number(key.split(' ')[0]) !== today),
    [],
  )
  // One before, and those after the check at which the clock was believed.
  assert.equal(site.minutes('up_ms'), 1 + 10)
})

test('a start with a clock that is years behind loses nothing of the past', () => {
  const site = openSite()
  for (let count = 0; count < 31; count += 1) site.check('good')
  site.restart(minute)
  site.clock.jump(-1000 * dayMs)
  for (const result of ['good', 'bad', 'bad'] as const) site.check(result)
  assert.equal(site.check('bad'), 'down', 'the state is known meanwhile')
  site.check('good')
  assert.equal(site.check('good'), 'up')
  const today = Math.floor(site.clock.now() / dayMs)
  assert.deepEqual(
    [...site.days().keys()].filter((key) => Number(key.split(' ')[0]) <= today + 1),
    [],
    'nothing is counted for a wrong day',
  )
  site.clock.jump(1000 * dayMs)
  for (let count = 0; count < 5; count += 1) site.check('good')
  assert.deepEqual([site.minutes('up_ms'), site.minutes('down_ms')], [30 + 5, 0])
})

test('whatever the clock, restarts and results do, no day has more than its time and no time is negative', () => {
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(
        fc.constantFrom('good' as const, 'bad' as const, 'maintenance' as const),
        fc.integer({ min: 1, max: 10 * minute }),
      ),
    },
    fc.tuple(fc.constant('jump' as const), fc.integer({ min: -3 * dayMs, max: 3 * dayMs })),
    fc.tuple(fc.constantFrom('restart' as const, 'kill' as const), fc.integer({ min: 0, max: dayMs })),
    fc.tuple(fc.constant('flush' as const), fc.constant(0)),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const site = openSite()
      let observed = 0
      for (const [kind, ms] of steps) {
        if (kind === 'jump') site.clock.jump(ms)
        else if (kind === 'restart' || kind === 'kill') site.restart(ms, kind === 'kill')
        else if (kind === 'flush') site.flush()
        else {
          site.check(kind, ms)
          observed += ms
        }
      }
      const totals = new Map<string, number>()
      for (const [key, ms] of site.days()) {
        assert.ok(ms >= 0, key)
        const [day = ''] = key.split(' ')
        totals.set(day, (totals.get(day) ?? 0) + ms)
      }
      for (const [day, ms] of totals) assert.ok(ms <= dayMs, `day ${day} has ${ms} ms`)
      const all = [...totals.values()].reduce((sum, ms) => sum + ms, 0)
      assert.ok(all <= observed, `${all} of ${observed} ms`)
      for (const { began_at: began, ended_at: ended, lasted_ms: lasted } of site.incidents()) {
        assert.ok(lasted >= 0 && lasted <= observed)
        assert.ok(ended === null || ended >= began)
      }
    }),
    { numRuns: 300 },
  )
})
