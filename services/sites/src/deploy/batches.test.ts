import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { Batches, BatchesClosed } from './batches.ts'

function recording(options: { quietMs?: number; maxMs?: number } = {}) {
  const runs: number[][] = []
  const batches = new Batches<number, number>({
    timers: createFastTimers(50),
    quietMs: options.quietMs ?? 250,
    maxMs: options.maxMs ?? 1000,
    async run(items) {
      runs.push([...items])
      await Promise.resolve()
      if (items.includes(13)) throw new Error('thirteen')
      return runs.length
    },
  })
  return { batches, runs }
}

test('requests that arrive close together share one run', async () => {
  const { batches, runs } = recording()
  const numbers = Array.from({ length: 50 }, (_, index) => index + 100)
  assert.deepEqual(new Set(await Promise.all(numbers.map((number) => batches.request(number)))), new Set([1]))
  assert.deepEqual(runs, [numbers])
})

test('a request that arrives during a run is served by the next one', async () => {
  let runs = 0
  const gate = Promise.withResolvers<undefined>()
  const started = Promise.withResolvers<undefined>()
  const batches = new Batches<string, number>({
    timers: createFastTimers(50),
    quietMs: 250,
    maxMs: 1000,
    async run() {
      runs += 1
      started.resolve(undefined)
      if (runs === 1) await gate.promise
      return runs
    },
  })
  const first = batches.request('first')
  await started.promise
  const second = batches.request('second')
  gate.resolve(undefined)
  assert.deepEqual(await Promise.all([first, second]), [1, 2])
})

test('a steady stream of requests does not delay the first one forever', async () => {
  const { batches, runs } = recording({ quietMs: 1000, maxMs: 2000 })
  const timers = createFastTimers(50)
  const asked: Promise<number>[] = []
  while (runs.length === 0 && asked.length < 40) {
    asked.push(batches.request(asked.length + 100))
    await timers.delay(500)
  }
  assert.ok(asked.length < 40)
  await batches.close()
  assert.equal((await Promise.all(asked)).length, runs.flat().length)
})

test('an urgent request runs immediately, together with the waiting ones', async () => {
  const { batches, runs } = recording({ quietMs: 1e9, maxMs: 1e9 })
  const waiting = batches.request(1)
  assert.equal(await batches.request(2, true), 1)
  assert.equal(await waiting, 1)
  assert.deepEqual(runs, [[1, 2]])
})

test('a failed run rejects all its requests, and only those', async () => {
  const { batches } = recording()
  await assert.rejects(batches.request(13), /thirteen/)
  assert.equal(await batches.request(1), 2)
})

test('closing runs the waiting requests and accepts no new ones', async () => {
  const { batches, runs } = recording({ quietMs: 1e9, maxMs: 1e9 })
  const waiting = batches.request(7)
  await batches.close()
  assert.equal(await waiting, 1)
  assert.deepEqual(runs, [[7]])
  await assert.rejects(batches.request(8), BatchesClosed)
})

test('a batch is prepared once while it waits, and its run begins afterwards', async () => {
  const steps: string[] = []
  const prepared = Promise.withResolvers<undefined>()
  const batches = new Batches<string, number>({
    timers: createFastTimers(50),
    quietMs: 250,
    maxMs: 1000,
    async prepare() {
      steps.push('prepare')
      await prepared.promise
      steps.push('prepared')
      throw new Error('a failure counts for nothing')
    },
    run(items) {
      steps.push(`run ${items.join(' ')}`)
      return Promise.resolve(steps.length)
    },
  })
  const requests = [batches.request('first'), batches.request('second'), batches.request('urgent', true)]
  prepared.resolve(undefined)
  await Promise.all(requests)
  assert.deepEqual(steps, ['prepare', 'prepared', 'run first second urgent'])
  await batches.request('urgent alone', true)
  assert.deepEqual(steps.slice(3), ['run urgent alone'])
})
