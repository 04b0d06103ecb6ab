import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { onBothDatabases } from '../../../test/on-both-databases.ts'
import type { GradeRow } from '../tables.ts'
import { createGradeHistory } from './history.ts'

const day = 86_400_000
const now = Date.parse('2026-11-19T12:00Z')

type Grade = Omit<GradeRow, 'id'>

const grade = (more: Partial<Grade>): Grade => ({
  site_id: 1,
  host: 'a.example',
  source: 'local',
  grade: 'A',
  grade_trust_ignored: 'A+',
  parts: JSON.stringify({ protocol: 100, keyExchange: 90, cipher: 90, total: 93 }),
  findings: JSON.stringify([{ code: 'no_hsts', severity: 'info', text: 'There is none' }]),
  not_after: now + 60 * day,
  checked_at: now,
  ...more,
})

onBothDatabases(async ({ query: db }, name) => {
  const clock = createManualClock(now)
  const kept = { days: 0 }
  const history = createGradeHistory({ db, clock, retentionDays: () => kept.days })

  await test(`${name}: the latest recorded grade of each host and source is returned`, async () => {
    await history.record(grade({ checked_at: now - 8 * day, grade: 'B' }))
    await history.record(grade({}))
    await history.record(
      grade({ checked_at: now - 8 * day, grade: 'mixed', source: 'ssllabs', parts: null, findings: '[]' }),
    )
    await history.record(grade({ host: 'b.example', site_id: 2, not_after: null, grade_trust_ignored: null }))
    const found = (await history.latest()).map(({ id: _id, ...rest }) => rest)
    const latest = found.toSorted((a, b) => `${a.host} ${a.source}`.localeCompare(`${b.host} ${b.source}`))
    assert.deepEqual(latest, [
      grade({}),
      grade({ checked_at: now - 8 * day, grade: 'mixed', source: 'ssllabs', parts: null, findings: '[]' }),
      grade({ host: 'b.example', site_id: 2, not_after: null, grade_trust_ignored: null }),
    ])
  })

  await test(`${name}: each host and source has its own series`, async () => {
    const { days, series } = await history.series('30d')
    assert.equal(days, 30)
    assert.deepEqual(
      series.map(({ host, source, points }) => [host, source, points.map(({ rank }) => rank).join(' ')]),
      [
        ['a.example', 'local', '4 6'],
        ['a.example', 'ssllabs', '-1 -1'],
        ['b.example', 'local', '6'],
      ],
    )
    assert.deepEqual(
      (await history.series('30d', 'ssllabs')).series.map(({ source }) => source),
      ['ssllabs'],
    )
  })

  await test(`${name}: old grades are deleted only when a retention period is set`, async () => {
    await history.tidy()
    assert.equal((await history.latest()).length, 3)
    kept.days = 7
    await history.tidy()
    assert.deepEqual(
      (await history.latest()).map(({ source }) => source),
      ['local', 'local'],
    )
  })
})
