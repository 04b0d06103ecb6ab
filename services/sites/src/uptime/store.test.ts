import assert from 'node:assert/strict'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import { PendingResults, splitBatch } from './pending-results.ts'
import {
  allSubjects,
  daysOf,
  deleteExcessIncidents,
  deleteOld,
  deleteSubjects,
  incidentsOf,
  openIncidents,
  pointsOf,
  writeResults,
} from './store.ts'

const noon = Date.UTC(2026, 2, 10, 12)
const day = Math.floor(noon / 86_400_000)

onBothDatabases(async ({ query: db }) => {
  const pending = new PendingResults()
  const check = (subject: string, at: number, latencyMs: number | undefined) =>
    pending.addCheck({ subject, at, isGood: latencyMs !== undefined, latencyMs })
  const write = async () => writeResults(db, pending.take()!)
  const put = (subject: string) =>
    pending.putSubject({
      subject,
      state: 'up',
      since: noon,
      credited_until: noon,
      checked_at: noon,
      latency_ms: 5,
      failure: null,
    })

  // What is written twice is added up; a span over midnight is of both days.
  for (let round = 0; round < 2; round += 1) {
    for (let site = 1; site <= 250; site += 1) {
      check(`site:${site}`, noon, 10 + round)
      put(`site:${site}`)
    }
    check('site:1', noon, undefined)
    pending.addTime('site:1', { kind: 'up', start: noon + 43_190_000, end: noon + 43_230_000, lasted: 40_000 })
    await write()
  }
  const [first, second] = await daysOf(db, ['site:1'], day)
  assert.deepEqual([first!.up_ms, second!.up_ms, second!.day - first!.day], [20_000, 60_000, 1])
  assert.deepEqual(
    [first!.checks, first!.failed, first!.latency_total, first!.latency_count, first!.latency_max],
    [4, 2, 21, 2, 11],
  )
  assert.equal((await allSubjects(db)).length, 250)
  assert.equal((await pointsOf(db, 'site:1', noon))[0]?.checks, 4)
  assert.equal(
    (
      await daysOf(
        db,
        Array.from({ length: 250 }, (_, index) => `site:${index + 1}`),
        day,
      )
    ).length,
    251,
  )

  // A batch that is given back is written with what came since.
  check('site:2', noon, 7)
  const batch = pending.take()!
  check('site:2', noon, 90)
  pending.giveBack(batch)
  await write()
  const [other] = await daysOf(db, ['site:2'], day)
  assert.deepEqual([other!.checks, other!.latency_max], [4, 90])

  // A large batch is written in parts, each with all of a subject.
  for (let site = 1; site <= 25; site += 1) {
    check(`site:${site}`, noon, 1)
    put(`site:${site}`)
  }
  const parts = splitBatch(pending.take()!, 10)
  assert.deepEqual(
    parts.map(({ days, points, subjects }) => [days.length, points.length, subjects.length]),
    [
      [10, 10, 10],
      [10, 10, 10],
      [5, 5, 5],
    ],
  )

  // Incidents: replaced, found, and bounded.
  const incident = (index: number, ended: number | null) =>
    pending.putIncident({
      id: `i${String(index).padStart(4, '0')}`,
      subject: 'site:1',
      began_at: noon + index * 1000,
      ended_at: ended,
      lasted_ms: 500,
      failure: '{}',
    })
  for (let index = 0; index < 30; index += 1) incident(index, noon + index * 1000 + 500)
  incident(30, null)
  await write()
  assert.equal((await openIncidents(db))[0]?.id, 'i0030')
  await deleteExcessIncidents(db, 10)
  const left = await incidentsOf(db, { subjects: ['site:1'], since: 0, limit: 100 })
  assert.deepEqual([left.length, left[0]?.id, left.at(-1)?.id], [10, 'i0030', 'i0021'])
  incident(30, noon + 90_000)
  await write()
  assert.deepEqual(await openIncidents(db), [])

  // A clock that was ahead leaves nothing.
  pending.addTime('site:3', { kind: 'down', start: noon + 9e9, end: noon + 9e9 + 5000, lasted: 5000 })
  check('site:3', noon + 9e9, 5)
  await write()
  pending.forgetAfter('site:3', day)
  await write()
  assert.deepEqual(
    (await daysOf(db, ['site:3'], day)).map((row) => row.day),
    [day],
  )
  assert.deepEqual((await pointsOf(db, 'site:3', noon + 8e9)).length, 0)

  await deleteOld(db, { day: day + 1, point: noon + 1e9, incident: noon + 25_000 })
  assert.deepEqual(
    (await daysOf(db, ['site:1', 'site:2'], 0)).map((row) => row.day),
    [day + 1],
  )
  assert.equal((await incidentsOf(db, { subjects: ['site:1'], since: 0, limit: 100 })).length, 6)
  await deleteSubjects(db, ['site:1'])
  assert.deepEqual(await daysOf(db, ['site:1'], 0), [])
  assert.equal((await allSubjects(db)).length, 249)
})
