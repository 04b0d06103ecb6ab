import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers, createLog } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { createPendingWatch } from './pending-watch.ts'

const log = createLog({ name: 'test', level: 'silent' })

test('pending changes are applied once, and again when they change or after a while', async () => {
  const timers = createFastTimers(100)
  let name: string = ''
  let isBusy = false
  const applied = new Array<readonly [string, number]>()
  const watch = createPendingWatch({
    timers,
    log,
    pending: () => Promise.resolve(name),
    isApplying: () => isBusy,
    apply: () => Promise.resolve(void applied.push([name, timers.monotonic()])),
  })
  watch.start()
  await timers.delay(6000)
  assert.equal(applied.length, 0)
  name = '1:1'
  isBusy = true
  await timers.delay(6000)
  assert.equal(applied.length, 0)
  isBusy = false
  await eventually(
    () => applied.length,
    (count) => count === 1,
  )
  name = '1:2'
  await eventually(
    () => applied.length,
    (count) => count === 3,
  )
  assert.deepEqual(
    applied.map(([text]) => text),
    ['1:1', '1:2', '1:2'],
  )
  const moments = applied.map(([, at]) => at)
  assert.ok((moments[2] ?? 0) - (moments[1] ?? 0) >= 30_000)
  watch.close()
})
