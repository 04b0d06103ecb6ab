import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countryRates,
  foundTunnels,
  ordinaryLists,
  ordinaryQueries,
  type Rate,
  roamingPhones,
  sharedKeys,
  surgingLists,
} from '../../test/hint-rates.ts'

const size = { peers: 20, days: 30, seed: 1 }
const perThousand = ({ hints, of }: Rate): number => (hints / of) * 1000
const recall = ({ hints, of }: Rate): number => hints / of

test('phones that move between networks make no hint, and shared keys are found', () => {
  assert.ok(perThousand(roamingPhones({ ...size, peers: 60 })) <= 2)
  for (const isBusy of [true, false]) assert.ok(recall(sharedKeys(40, { isBusy, seed: 7 })) >= 0.98)
})

test('peers at home and commuters make next to no hint of a new country, and journeys are found', () => {
  for (const kind of ['home', 'commuter'] as const) {
    const { falseHints, peerDays } = countryRates({ ...size, peers: 60 }, kind)
    assert.ok((falseHints / peerDays) * 1000 <= 4)
  }
  const { journeys, found } = countryRates({ ...size, peers: 60 }, 'traveller')
  assert.ok(journeys > 20)
  assert.ok(found >= 0.95 * journeys)
})

test('ordinary queries make no hint of a tunnel, and tunnels are found as slow as one name in twelve seconds', () => {
  assert.equal(ordinaryQueries(size).hints, 0)
  assert.equal(ordinaryQueries({ ...size, peers: 5, seed: 2 }, 'known').hints, 0)
  assert.ok(perThousand(ordinaryQueries({ ...size, peers: 10, seed: 3 }, 'unknown')) <= 10)
  for (const kind of [
    'iodine, NULL, in use',
    'iodine, NULL, idle',
    'iodine, CNAME, idle',
    'iodine, TXT, in use',
    'iodine, A, in use',
    'dnscat2, one a second',
    'exfiltration, one in 5 s',
    'exfiltration, one in 12 s',
  ] as const) {
    assert.equal(recall(foundTunnels(kind, 3, 11)), 1, kind)
  }
})

test('lists make next to no hint by day and night, and one that blocks far more is found', () => {
  for (const perHour of [5, 60, 2000]) assert.ok(perThousand(ordinaryLists(size, perHour)) <= 1)
  for (const perHour of [60, 2000]) assert.ok(recall(surgingLists(20, { perHour, times: 40, seed: 13 })) >= 0.95)
})
