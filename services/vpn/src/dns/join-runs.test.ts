import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinRuns } from './join-runs.ts'

test('a hundred calls at once cost two runs, and each sees what was there when it was made', async () => {
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

test('a run that fails is told to those who waited for it, and the next one begins', async () => {
  let runs = 0
  const publish = joinRuns(() => {
    runs += 1
    return runs === 1 ? Promise.reject(new Error('disk full')) : Promise.resolve()
  })
  await assert.rejects(publish(), /disk full/)
  await publish()
  assert.equal(runs, 2)
})
