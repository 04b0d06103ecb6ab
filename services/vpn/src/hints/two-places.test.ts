import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, notePlace, type PlaceHistory, type Sighting } from './two-places.ts'

const minute = 60_000
const home = '198.51.100.7'
const office = '203.0.113.9'
const isFar = () => true

/** Sees a peer at these places, one after the other. */
function see(sightings: readonly Sighting[], far = isFar): PlaceHistory | undefined {
  let history: PlaceHistory | undefined
  for (const sighting of sightings) history = notePlace(history, sighting, far)
  return history
}

/** Two devices that take the connection from each other: each change comes with a handshake. */
const contested = (count: number, stepMs: number): Sighting[] =>
  Array.from({ length: count }, (_, index) => {
    return { host: index % 2 === 0 ? home : office, at: index * stepMs, handshake: index * stepMs }
  })

/** One device that moves between two networks, and makes a handshake every two minutes wherever it is. */
const roaming = (count: number, stepMs: number): Sighting[] =>
  contested(count, stepMs).map(({ host, at }) => {
    return { host, at, handshake: Math.floor(at / (2 * minute)) * 2 * minute }
  })

test('a key that two devices take from each other within minutes is used from two places', () => {
  assert.equal(see(contested(4, minute))?.isSuspicious, false)
  assert.equal(see(contested(5, minute))?.isSuspicious, true)
  assert.equal(see(contested(20, 10_000))?.isSuspicious, true)
})

test('between networks of one provider in one country it takes more', () => {
  assert.equal(see(contested(7, minute), () => false)?.isSuspicious, false)
  assert.equal(see(contested(8, minute), () => false)?.isSuspicious, true)
})

test('a phone at the edge of its Wi-Fi is one device', () => {
  for (const step of [5000, 20_000, minute, 3 * minute]) assert.equal(see(roaming(60, step))?.isSuspicious, false)
  assert.equal(see(contested(20, 8 * minute))?.isSuspicious, false)
  const train = Array.from({ length: 30 }, (_, index) => {
    return { host: `100.64.${index}.1`, at: index * minute, handshake: index * minute }
  })
  assert.equal(see(train)?.isSuspicious, false)
})

test('addresses of one network are one place, as providers give phones several of them', () => {
  const carrier = contested(40, 20_000).map(({ at, handshake }, index) => {
    return { at, handshake, host: `198.51.100.${index % 3}` }
  })
  assert.equal(see(carrier)?.isSuspicious, false)
  assert.equal(networkOf('2001:db8:0:7::1'), networkOf('2001:0db8::9'))
  assert.notEqual(networkOf('2001:db8:1::1'), networkOf('2001:db8:2::1'))
})

test('after an hour in one place the key counts as used from one place', () => {
  const flapping = contested(6, minute)
  const stays = (from: number, to: number): Sighting[] =>
    Array.from({ length: to - from }, (_, index) => {
      return { host: office, at: (from + index) * minute, handshake: (from + index) * minute }
    })
  assert.equal(see([...flapping, ...stays(6, 50)])?.isSuspicious, true)
  assert.equal(see([...flapping, ...stays(6, 67)])?.isSuspicious, false)
})

test('what is remembered of a peer stays small', () => {
  const history = see(
    Array.from({ length: 5000 }, (_, index) => {
      return { host: `100.${index % 100}.${index % 256}.1`, at: index * 1000, handshake: index * 1000 }
    }),
  )
  assert.ok((history?.left.size ?? 0) <= 65)
  assert.ok((history?.returns.length ?? 0) <= 12)
  assert.ok((history?.sightings.length ?? 0) <= 12)
})
