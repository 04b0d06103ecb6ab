import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as check, double, integer, property } from 'fast-check'
import { createManualClock } from '@hearth/runtime'
import {
  addLatency,
  decodeHistogram,
  emptyHistogram,
  encodeHistogram,
  latencyBounds,
  latencyQuantile,
} from './traffic-count.ts'
import { createRequestRate } from './request-rate.ts'
import { createSpaceSaving } from '../top-lists.ts'

test('a quantile lies in the bucket of its request', () => {
  check(
    property(array(double({ min: 0, max: 59_000, noNaN: true }), { minLength: 1, maxLength: 200 }), (times) => {
      const histogram = emptyHistogram()
      for (const time of times) addLatency(histogram, time)
      const sorted = times.toSorted((a, b) => a - b)
      for (const part of [0.5, 0.95]) {
        const exact = sorted[Math.ceil(times.length * part) - 1]!
        const index = latencyBounds.findIndex((bound) => exact <= bound)
        const found = latencyQuantile(histogram, part)!
        assert.ok(found >= (latencyBounds[index - 1] ?? 0) && found <= latencyBounds[index]!, `${found} for ${exact}`)
      }
      assert.deepEqual(decodeHistogram(encodeHistogram(histogram)), histogram)
    }),
  )
})

test('an empty histogram has no quantile, and the last bucket is bounded', () => {
  assert.equal(latencyQuantile(emptyHistogram(), 0.5), undefined)
  assert.deepEqual(decodeHistogram(''), emptyHistogram())
  const slow = emptyHistogram()
  addLatency(slow, 3_600_000)
  assert.equal(latencyQuantile(slow, 0.5), 60_000)
})

test('a frequent key is found among any number of others in bounded space', () => {
  check(
    property(array(integer({ min: 0, max: 5000 }), { maxLength: 2000 }), (noise) => {
      const counts = createSpaceSaving(20)
      let often = 0
      for (const [index, number] of noise.entries()) {
        counts.add(`noise ${number}`)
        if (index % 4 === 0) {
          counts.add('often')
          often += 1
        }
      }
      const top = counts.top(100)
      assert.ok(top.length <= 20)
      if (noise.length === 0) return
      const found = top.find(({ key }) => key === 'often')!
      assert.ok(found.count >= often && found.count - found.error <= often)
    }),
  )
})

test('the rate covers the last ten seconds, and late lines cause no peak', () => {
  const clock = createManualClock(1_000_000)
  const rate = createRequestRate(clock)
  for (let second = 0; second < 30; second += 1) {
    for (let request = 0; request < 5; request += 1) rate.add(clock.now())
    clock.advance(1000)
  }
  assert.equal(rate.perSecond(), 5)
  for (let request = 0; request < 1000; request += 1) rate.add(clock.now() - 60_000)
  assert.equal(rate.perSecond(), 5)
  clock.advance(5000)
  assert.equal(rate.perSecond(), 2.5)
  clock.advance(5000)
  assert.equal(rate.perSecond(), 0)
})
