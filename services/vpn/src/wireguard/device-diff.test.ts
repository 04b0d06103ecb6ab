import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { DevicePeer, PeerChange, PeerState } from './device.ts'
import { createKnownPeers, diffPeers, findTheft, ownersOf, type Peers, planChanges } from './device-diff.ts'
import { generateKeyPair } from './keys.ts'
import { applyToModel } from './simulated-driver.ts'

const keys = Array.from({ length: 6 }, () => generateKeyPair().publicKey)
const addresses = Array.from({ length: 8 }, (_, index) => `10.8.0.${index + 2}/32`)

/** Up to six peers that share eight addresses out among themselves, so that most pairs of them conflict. */
const peers: fc.Arbitrary<Peers> = fc
  .tuple(
    fc.subarray(keys),
    fc.array(fc.nat({ max: keys.length }), { minLength: addresses.length, maxLength: addresses.length }),
    fc.array(fc.boolean(), { minLength: keys.length, maxLength: keys.length }),
  )
  .map(([present, owners, secured]) => {
    const list = present.map((publicKey): [string, DevicePeer] => {
      const index = keys.indexOf(publicKey)
      const allowedIps = addresses.filter((_, at) => owners[at] === index)
      return [publicKey, { publicKey, presharedKey: secured[index] === true ? keys[0]! : null, allowedIps }]
    })
    return new Map(list)
  })

function stateOf(list: Peers): Map<string, PeerState> {
  return new Map(
    [...list].map(([publicKey, peer]) => {
      return [publicKey, { ...peer, endpoint: null, latestHandshake: null, rxBytes: 1, txBytes: 2 }]
    }),
  )
}

function plain(list: Peers): [string, readonly string[], string | null][] {
  const rows = [...list.values()].map(
    ({ publicKey, allowedIps, presharedKey }): [string, readonly string[], string | null] => {
      return [publicKey, [...allowedIps].sort(), presharedKey]
    },
  )
  return rows.sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The address a single step takes from a peer that still holds it, or undefined. */
function stolenBy(step: PeerChange, device: Peers): string | undefined {
  if (step.kind === 'remove') return undefined
  const owners = ownersOf(device.values())
  return step.peer.allowedIps.find((network) => (owners.get(network) ?? step.peer.publicKey) !== step.peer.publicKey)
}

describe('the difference between desired and current peers', () => {
  test('produces the desired peers when applied, and no step takes an address from its owner', () => {
    fc.assert(
      fc.property(peers, peers, (current, desired) => {
        const device = stateOf(current)
        for (const step of diffPeers(desired, current)) {
          assert.equal(stolenBy(step, device), undefined)
          applyToModel(device, [step])
        }
        assert.deepEqual(plain(device), plain(desired))
      }),
      { numRuns: 1000 },
    )
  })

  test('gives the same result as one batch', () => {
    fc.assert(
      fc.property(peers, peers, (current, desired) => {
        const device = stateOf(current)
        applyToModel(device, diffPeers(desired, current))
        assert.deepEqual(plain(device), plain(desired))
      }),
    )
  })

  test('leaves correct peers alone', () => {
    fc.assert(fc.property(peers, (current) => diffPeers(current, current).length === 0))
    fc.assert(
      fc.property(peers, peers, (current, desired) => {
        const touched = new Set(
          diffPeers(desired, current).map((step) => (step.kind === 'set' ? step.peer.publicKey : step.publicKey)),
        )
        for (const [publicKey, peer] of desired) {
          const isSame = JSON.stringify(current.get(publicKey)) === JSON.stringify(peer)
          if (isSame) assert.equal(touched.has(publicKey), false)
        }
      }),
    )
  })

  test('keeps the counters of a changed peer', () => {
    const device = stateOf(
      new Map([[keys[0]!, { publicKey: keys[0]!, presharedKey: null, allowedIps: [addresses[0]!] }]]),
    )
    applyToModel(device, [
      { kind: 'set', peer: { publicKey: keys[0]!, presharedKey: null, allowedIps: [addresses[1]!] } },
    ])
    assert.equal(device.get(keys[0]!)?.txBytes, 2)
  })
})

describe('a change of some peers', () => {
  test('that would take an address from another peer is detected, and no other change', () => {
    fc.assert(
      fc.property(peers, peers, fc.subarray(keys), (current, desired, touched) => {
        const target = new Map(touched.map((publicKey) => [publicKey, desired.get(publicKey) ?? null]))
        const device = stateOf(current)
        applyToModel(device, planChanges(current, target))
        const untouched = [...current.values()].filter(({ publicKey }) => !target.has(publicKey))
        const isRobbed = untouched.some(
          ({ publicKey, allowedIps }) => device.get(publicKey)?.allowedIps.length !== allowedIps.length,
        )
        assert.equal(findTheft(ownersOf(current.values()), target) !== null, isRobbed)
      }),
    )
  })

  test('is recorded as the device would hold it', () => {
    fc.assert(
      fc.property(peers, peers, (current, desired) => {
        const known = createKnownPeers(current)
        const gone = [...current.keys()].filter((publicKey) => !desired.has(publicKey))
        known.update(
          new Map<string, DevicePeer | null>([...desired, ...gone.map((publicKey) => [publicKey, null] as const)]),
        )
        assert.deepEqual(plain(known.peers), plain(desired))
        assert.deepEqual(new Map(known.owners), ownersOf(desired.values()))
      }),
    )
  })
})
