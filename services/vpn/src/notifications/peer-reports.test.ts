import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openToldNotifications } from '@hearth/notifications/test'
import type { FollowedPeer } from '../peers/followed-peer.ts'
import { PeerWatch } from '../hints/peer-watch.ts'
import { eventClasses } from './event-classes.ts'
import { createPeerReports } from './peer-reports.ts'

const minute = 60_000
const phone = { id: 'p1', name: 'Phone', interface: 'wg0' } as FollowedPeer
const seenAt = (endpoint: string, at: number) =>
  ({ ...phone, activity: { endpoint, last_handshake: at } }) as FollowedPeer
const nowhere = { country: 'ZZ', latitude: null, longitude: null, asn: 0, organization: null }

async function openPeerReports() {
  const notifications = await openToldNotifications(eventClasses)
  let known: FollowedPeer | undefined = phone
  let isExpected = false
  const watch = new PeerWatch({
    // Without countries nothing is stored.
    db: undefined as never,
    hints: { record: () => Promise.resolve(), isOn: () => true, isExpected: () => isExpected },
    atlas: { place: () => nowhere, countryName: (code) => code },
    peer: () => known,
  })
  const reports = createPeerReports({ reports: notifications.reports, peers: { peer: () => known }, watch })
  return {
    told: () => notifications.told(),
    forget: () => (known = undefined),
    expect: () => (isExpected = true),
    /** Sees the phone at these addresses, a minute apart, and checks after each. */
    async see(endpoints: readonly string[], from = 0) {
      for (const [index, endpoint] of endpoints.entries()) {
        const at = (from + index) * minute
        await watch.sampled({ at, changed: [seenAt(endpoint, at)] })
        reports.check()
      }
    },
    [Symbol.asyncDispose]: () => notifications[Symbol.asyncDispose](),
  }
}

const home = '198.51.100.7:51820'
const office = '203.0.113.9:40000'

test('a key used from two places is told once, and once more when it is used from one place again', async () => {
  await using phoneReports = await openPeerReports()
  await phoneReports.see([home, office, home])
  assert.deepEqual(await phoneReports.told(), [])
  await phoneReports.see([office, home, office, home], 3)
  const began = 'began: The key of Phone is used from two places'
  assert.deepEqual(await phoneReports.told(), [began])
  await phoneReports.see(
    Array.from({ length: 70 }, () => home),
    7,
  )
  assert.deepEqual(await phoneReports.told(), [began, 'ended: The key of Phone is used from one place again'])
})

test('another port of the same address is the same place, and a deleted peer is told of no more', async () => {
  await using phoneReports = await openPeerReports()
  await phoneReports.see(Array.from({ length: 20 }, (_, index) => `198.51.100.7:${40_000 + index}`))
  assert.deepEqual(await phoneReports.told(), [])
  await phoneReports.see([office, home, office, home, office, home], 20)
  assert.equal((await phoneReports.told()).length, 1)
  phoneReports.forget()
  await phoneReports.see([home], 27)
  assert.equal((await phoneReports.told()).length, 1)
})

test('a key that is expected to be used from two places is not told of', async () => {
  await using phoneReports = await openPeerReports()
  phoneReports.expect()
  await phoneReports.see([home, office, home, office, home, office, home])
  assert.deepEqual(await phoneReports.told(), [])
})
