import assert from 'node:assert/strict'
import { createLog, createManualClock } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import { dayMs, dayOf } from './pending-results.ts'
import { kept, ResultWriter } from './result-writer.ts'
import { daysOf } from './store.ts'

const minute = 60_000
const noon = Date.UTC(2026, 2, 10, 12)

onBothDatabases(async ({ query: db }) => {
  const clock = createManualClock(noon)
  const waiting: (() => void)[] = []
  const after = (_: number, run: () => void) => {
    waiting.push(run)
    return () => undefined
  }
  const log = createLog({ name: 'test', level: 'silent' })
  const writer = new ResultWriter({ db, log, timers: { ...clock, after, delay: () => assert.fail('nothing waits') } })
  /** Rounds of a minute; each is over when the next one waits. */
  const rounds = async (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      clock.advance(minute)
      waiting.shift()?.()
      await eventually(
        () => waiting.length,
        (length) => length > 0,
      )
    }
  }
  const days = async () => (await daysOf(db, ['site:1'], 0)).map(({ day }) => day - dayOf(noon))
  for (const ago of [kept.days + 10, 5])
    writer.pending.addCheck({ subject: 'site:1', at: noon - ago * dayMs, isGood: true, latencyMs: 5 })
  await writer.flush()

  // The clock stands years ahead after a start, and is set right before an hour is over.
  clock.jump(1000 * dayMs)
  writer.start()
  await rounds(50)
  clock.jump(-1000 * dayMs)
  await rounds(50)
  assert.deepEqual(await days(), [-kept.days - 10, -5], 'a clock that may be wrong deletes nothing')

  // It stands right for an hour.
  await rounds(20)
  assert.deepEqual(await days(), [-5])
  await writer.close()
})
