import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { interfaceRow, peerRow } from '../../../test/stored-rows.ts'
import { migrations } from '../../database/migrations/index.ts'
import type { Tables } from '../../tables.ts'
import { PeerPauses } from './pauses.ts'
import { allPauseRows } from './store.ts'

const minute = 60_000

test('a pause ends by itself, also after a restart and when the machine slept, and is told once', async () => {
  await using cleanup = new AsyncDisposableStack()
  const database = openDatabase<Tables>({ file: ':memory:' })
  cleanup.defer(() => database.close())
  const db = database.query
  await migrate(db, migrations)
  await db.insertInto('interfaces').values(interfaceRow()).execute()
  await db.insertInto('peers').values(peerRow('one')).execute()
  const clock = createManualClock(Date.parse('2026-11-23T07:00:00Z'))
  const waits: { ms: number; run: () => void }[] = []
  const told: string[][] = []
  const start = async () => {
    waits.length = 0
    const pauses = new PeerPauses({
      db,
      timers: {
        now: () => clock.now(),
        after(ms, run) {
          const wait = { ms, run }
          waits.push(wait)
          return () => {
            if (waits.includes(wait)) waits.splice(waits.indexOf(wait), 1)
          }
        },
      },
      log: { error: () => assert.fail() },
      peersChanged: (ids) => Promise.resolve(told.push([...ids]) > 0),
    })
    await pauses.open()
    return pauses
  }
  const first = await start()
  assert.equal(waits.length, 0, 'nothing waits without a pause')
  await assert.rejects(first.pause('nobody', clock.now() + minute), /There is no peer nobody/)
  assert.equal(await first.pause('one', clock.now() + 5 * minute), true)
  assert.equal(first.until('one'), clock.now() + 5 * minute)
  assert.equal(first.until('two'), null)
  assert.deepEqual(
    waits.map(({ ms }) => ms <= 20_000),
    [true],
  )
  first.close()
  assert.equal(waits.length, 0)

  const second = await start()
  assert.equal(second.until('one'), clock.now() + 5 * minute)
  clock.jump(6 * minute)
  assert.equal(second.until('one'), null)
  told.length = 0
  waits[0]!.run()
  await eventually(
    () => Promise.resolve(told.length),
    (count) => count > 0,
    { what: 'the end of the pause' },
  )
  assert.deepEqual(told, [['one']])
  assert.deepEqual(await allPauseRows(db), [])
  await second.pause('one', clock.now() + minute)
  await second.resume('one')
  assert.equal(second.until('one'), null)
  assert.deepEqual(await allPauseRows(db), [])
  second.close()
})
