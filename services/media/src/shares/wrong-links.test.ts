import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { createWrongLinks } from './wrong-links.ts'

const minute = 60_000

test('an address that guesses slowly for hours is blocked, others are not', () => {
  const clock = createManualClock(0)
  const wrong = createWrongLinks(clock)
  let tried = 0
  // As fast as the request limit of the route lets one address.
  for (let passed = 0; passed < 60; passed += 1, clock.advance(minute))
    for (let index = 0; index < 20; index += 1)
      if (wrong.waitSeconds('192.0.2.1') === undefined) {
        wrong.count('192.0.2.1')
        tried += 1
      }
  assert.equal(tried, 200)
  assert.equal(wrong.waitSeconds('192.0.2.2'), undefined)
  clock.advance(60 * minute)
  assert.equal(wrong.waitSeconds('192.0.2.1'), undefined)
})

test('all addresses together can guess at most 6,000 tokens an hour', () => {
  const clock = createManualClock(0)
  const wrong = createWrongLinks(clock)
  let tried = 0
  for (let passed = 0; passed < 60; passed += 1, clock.advance(minute))
    for (let index = 0; index < 400; index += 1) {
      const address = `10.${passed}.${index >> 8}.${index & 255}`
      if (wrong.waitSeconds(address) !== undefined) continue
      wrong.count(address)
      tried += 1
    }
  assert.equal(tried, 6000)
})
