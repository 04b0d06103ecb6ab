import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openToldNotifications } from '@hearth/notifications/test'
import { createManualClock } from '@hearth/runtime'
import type { FollowedPeer } from '../peers/followed-peer.ts'
import { eventClasses } from './event-classes.ts'
import { createExpiryReports } from './expiry-reports.ts'

const day = 86_400_000

async function openExpiryReports() {
  const notifications = await openToldNotifications(eventClasses)
  const clock = createManualClock(Date.parse('2026-11-20T12:00:00Z'))
  const known = new Map<string, FollowedPeer>()
  const state = { warningDays: 7 }
  const peers = { peer: (id: string) => known.get(id), peers: () => known.values() }
  const create = () =>
    createExpiryReports({ reports: notifications.reports, peers, clock, warningDays: () => state.warningDays })
  return {
    clock,
    state,
    known,
    create,
    told: () => notifications.told(),
    set(id: string, expires_at: number | null, enabled = 1) {
      known.set(id, { id, name: id, expires_at, enabled } as FollowedPeer)
    },
    [Symbol.asyncDispose]: () => notifications[Symbol.asyncDispose](),
  }
}

test('a peer is told once before it expires, once after, and again for another date', async () => {
  await using world = await openExpiryReports()
  const { clock, told } = world
  const end = clock.now() + 10 * day
  world.set('Phone', end)
  world.set('Forever', null)
  const check = world.create()
  check()
  assert.deepEqual(await told(), [])
  clock.advance(3 * day)
  check()
  check()
  const soon = 'began: Phone expires in 7 days'
  assert.deepEqual(await told(), [soon])

  // The service starts again, and the peer is off for a while: the date is the same.
  const afterRestart = world.create()
  world.set('Phone', end, 0)
  afterRestart()
  world.set('Phone', end)
  afterRestart()
  assert.deepEqual(await told(), [soon])

  world.set('Phone', end + day)
  afterRestart()
  assert.deepEqual(await told(), [soon], 'the new date is further away than the warning')
  clock.advance(day)
  afterRestart()
  assert.deepEqual(await told(), [soon, soon])
  clock.advance(7 * day)
  afterRestart()
  afterRestart()
  assert.deepEqual(await told(), [soon, soon, 'began: Phone has expired'])
})

test('a peer that expired long ago, is disabled or has no warning is not told; a deleted one is forgotten', async () => {
  await using world = await openExpiryReports()
  const { clock, told, state } = world
  world.set('Old', clock.now() - 2 * day)
  world.set('Off', clock.now() + day, 0)
  world.set('Gone', clock.now() + day)
  state.warningDays = 0
  const check = world.create()
  check()
  assert.deepEqual(await told(), [])
  state.warningDays = 7
  check()
  assert.deepEqual(await told(), ['began: Gone expires in 24 hours'])
  world.known.delete('Gone')
  clock.advance(2 * day)
  check()
  assert.equal((await told()).length, 1)
})
