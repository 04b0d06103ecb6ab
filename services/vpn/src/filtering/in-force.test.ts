import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { inForceSoon, joinChanges, joinRuns } from './in-force.ts'

const never = new Promise<void>(() => undefined)
const unexpected = (error: unknown) => assert.fail(String(error))

test('a change is awaited as long as the resolver is alive', async () => {
  assert.equal(await inForceSoon({ change: pause(2500), quietMs: () => 300, failed: unexpected }), true)
})

test('an unresponsive resolver is not awaited', async () => {
  assert.equal(await inForceSoon({ change: never, quietMs: () => 60_000, failed: unexpected }), false)
})

test('an early failure rejects the call, a late one is reported separately', async () => {
  const broken = Promise.reject(new Error('no'))
  await assert.rejects(inForceSoon({ change: broken, quietMs: () => 60_000, failed: unexpected }), /no/)
  const later = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<unknown>()
  assert.equal(await inForceSoon({ change: later.promise, quietMs: () => 60_000, failed: failed.resolve }), false)
  later.reject(new Error('late'))
  assert.match(String(await failed.promise), /late/)
})

test('a hundred simultaneous calls cause two runs, and each run sees its callers’ state', async () => {
  let [value, runs, published] = [0, 0, 0]
  const publish = joinRuns(async () => {
    runs += 1
    const read = value
    await new Promise(setImmediate)
    published = read
  })
  const calls = Array.from({ length: 100 }, async () => {
    value += 1
    const mine = value
    await publish()
    assert.ok(published >= mine)
  })
  await Promise.all(calls)
  assert.ok(runs <= 2, `${runs} runs`)
})

test('a failed run is reported to its callers, and the next one starts', async () => {
  let runs = 0
  const publish = joinRuns(() => {
    runs += 1
    return runs === 1 ? Promise.reject(new Error('disk full')) : Promise.resolve()
  })
  await assert.rejects(publish(), /disk full/)
  await publish()
  assert.equal(runs, 2)
})

test('ids of many callers are combined into one run, and a failed run is followed by a full one', async () => {
  const runs: (readonly string[] | undefined)[] = []
  const changed = joinChanges((ids) => {
    runs.push(ids)
    return runs.length === 2 ? Promise.reject(new Error('disk full')) : Promise.resolve()
  })
  await Promise.all([changed(['a']), changed(['b', 'a']), changed(['c'])])
  await assert.rejects(changed(['d']), /disk full/)
  await changed(['e'])
  await Promise.all([changed(['f']), changed()])
  await changed(Array.from({ length: 2000 }, (_, number) => `p${number}`))
  await changed(['g'])
  assert.deepEqual(runs, [['a', 'b', 'c'], ['d'], undefined, undefined, undefined, ['g']])
})
