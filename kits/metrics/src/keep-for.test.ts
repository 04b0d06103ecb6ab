import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { keepFor } from './keep-for.ts'

test('a value is cached for its time; a failure is not', async () => {
  const clock = createManualClock(0)
  let reads = 0
  const read = keepFor(1000, clock, () => {
    reads += 1
    return reads === 2 ? Promise.reject(new Error('no')) : Promise.resolve(reads)
  })
  assert.equal(await read(), 1)
  clock.advance(1000)
  assert.equal(await read(), 1)
  clock.advance(1)
  await assert.rejects(read())
  assert.equal(await read(), 3)
})
