import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { createFailureBlock } from './failure-block.ts'

test('the sixth failure in five minutes closes the door for fifteen', () => {
  const clock = createManualClock(0)
  const block = createFailureBlock(clock)
  for (let count = 0; count < 5; count += 1) assert.equal(block.note('a'), 0)
  assert.equal(block.note('a'), 900)
  assert.equal(block.closedFor('b'), 0)
  clock.advance(899_000)
  assert.equal(block.closedFor('a'), 1)
  clock.advance(1000)
  assert.equal(block.closedFor('a'), 0)
  assert.equal(block.note('a'), 0)
})

test('failures spread over time and a success in between are forgotten', () => {
  const clock = createManualClock(0)
  const block = createFailureBlock(clock)
  for (let count = 0; count < 50; count += 1) {
    assert.equal(block.note('a'), 0)
    clock.advance(61_000)
  }
  for (let count = 0; count < 4; count += 1) block.note('b')
  block.forget('b')
  for (let count = 0; count < 5; count += 1) assert.equal(block.note('b'), 0)
})

test('more addresses than can be remembered do not open the door', () => {
  const block = createFailureBlock(createManualClock(0))
  for (let count = 0; count < 10_000; count += 1) block.note(String(count))
  assert.equal(block.note('one more'), 900)
})
