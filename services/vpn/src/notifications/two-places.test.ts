import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notePlace, type PlaceHistory } from './two-places.ts'

const minute = 60_000

/** Sees a peer at these addresses, one after the other. */
function see(places: readonly (readonly [host: string, at: number])[]): PlaceHistory | undefined {
  let history: PlaceHistory | undefined
  for (const [host, at] of places) history = notePlace(history, host, at)
  return history
}

const alternating = (count: number, stepMs: number) =>
  Array.from({ length: count }, (_, index) => [index % 2 === 0 ? 'home' : 'office', index * stepMs] as const)

test('a key whose address goes back and forth within minutes is used from two places', () => {
  assert.equal(see(alternating(4, minute))?.isSuspicious, false)
  assert.equal(see(alternating(5, minute))?.isSuspicious, true)
  assert.equal(see(alternating(20, 10_000))?.isSuspicious, true)
})

test('a device that moves between two networks is one device', () => {
  assert.equal(see(alternating(20, 8 * minute))?.isSuspicious, false)
  const train = Array.from({ length: 30 }, (_, index) => [`cell-${index}`, index * minute] as const)
  assert.equal(see(train)?.isSuspicious, false)
  assert.equal(see(Array.from({ length: 30 }, (_, index) => ['home', index * minute] as const))?.isSuspicious, false)
})

test('after an hour in one place the key counts as used from one place', () => {
  const flapping = alternating(6, minute)
  const stays = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ['office', (from + index) * minute] as const)
  assert.equal(see([...flapping, ...stays(6, 50)])?.isSuspicious, true)
  assert.equal(see([...flapping, ...stays(6, 67)])?.isSuspicious, false)
})

test('what is remembered of a peer stays small', () => {
  const train = Array.from({ length: 5000 }, (_, index) => [`cell-${index}`, index * 1000] as const)
  assert.ok((see(train)?.left.size ?? 0) <= 601)
  assert.equal(see(alternating(5000, 1000))?.returns.length, 3)
})
