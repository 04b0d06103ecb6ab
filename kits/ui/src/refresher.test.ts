import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { createRefresher } from './refresher.ts'

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
})

test('a burst is reported as one batch, and the next batch waits for the minimum interval', () => {
  const batches: string[][] = []
  const refresher = createRefresher((names) => batches.push(names), { soon: 250, apart: 3000 })
  for (let count = 0; count < 50; count += 1) refresher.note(count % 2 === 0 ? 'peers' : 'interfaces')
  mock.timers.tick(249)
  assert.deepEqual(batches, [])
  mock.timers.tick(1)
  assert.deepEqual(batches, [['peers', 'interfaces']])
  refresher.note('peers')
  mock.timers.tick(2999)
  assert.equal(batches.length, 1)
  mock.timers.tick(1)
  assert.deepEqual(batches[1], ['peers'])
})

test('a clock set back delays a batch by at most the minimum interval', () => {
  const batches: string[][] = []
  const refresher = createRefresher((names) => batches.push(names), { soon: 250, apart: 3000 })
  refresher.note('peers')
  mock.timers.tick(250)
  mock.timers.setTime(5)
  refresher.note('peers')
  mock.timers.tick(3000)
  assert.equal(batches.length, 2)
})

test('nothing is reported after close', () => {
  const batches: string[][] = []
  const refresher = createRefresher((names) => batches.push(names))
  refresher.note('peers')
  refresher.close()
  mock.timers.tick(10_000)
  assert.deepEqual(batches, [])
})
