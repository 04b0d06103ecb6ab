import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, systemTimers } from '@hearth/runtime'
import type { Device } from '../devices/device.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { PendingRestores } from './pending-restores.ts'

const row = {
  device_id: 'main',
  serial: null,
  metric: 'power_mng_soc_target_set',
  old_value: 0.5,
  test_value: 0.51,
  begun_at: 1,
}

/** Restores whose attempts begin when the test says so, and wait at the step `identify` until it goes on. */
async function open() {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const due: (() => void)[] = []
  const written: string[] = []
  const steps = { identify: Promise.withResolvers<void>(), read: Promise.withResolvers<number>() }
  const gateway = {
    identify: () => steps.identify.promise,
    readFresh: async () => ({ value: await steps.read.promise, at: 0 }),
    writeConfirmed: (name: string) => Promise.resolve(written.push(name)),
  } as unknown as DeviceRuntime
  const restores = new PendingRestores({
    db: database.query,
    timers: {
      ...systemTimers,
      after: (_ms, run) => {
        due.push(run)
        return () => undefined
      },
    },
    log: createLog({ name: 'test', level: 'silent' }),
    device: () => ({ serial: null }) as Device,
    runtime: () => gateway,
    guarded: (_id, work) => work(),
  })
  await restores.add(row)
  restores.retry('main')
  due.shift()?.()
  return { restores, due, written, steps, [Symbol.asyncDispose]: () => database.close() }
}

/** Lets everything go on that waits for no event. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('an attempt that was under way when its device was removed is not repeated', async () => {
  await using opened = await open()
  await opened.restores.forget('main')
  opened.steps.identify.reject(new Error('the connection is closed'))
  await settled()
  assert.deepEqual([opened.due.length, opened.restores.has('main')], [0, false])
})

test('an attempt that was under way when its device was removed writes nothing', async () => {
  await using opened = await open()
  opened.steps.identify.resolve()
  await settled()
  await opened.restores.forget('main')
  // The next check of another inverter at the place of the first.
  await opened.restores.add({ ...row, old_value: 0.3 })
  opened.steps.read.resolve(0.51)
  await settled()
  await settled()
  assert.deepEqual([opened.written, opened.restores.has('main')], [[], true])
})
