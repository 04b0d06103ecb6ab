import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { openToldNotifications } from '@hearth/notifications/test'
import { interfaceRow } from '../../test/stored-rows.ts'
import { migrations } from '../database/migrations/index.ts'
import type { HealthNotice } from '../health/schema.ts'
import type { Node } from '../nodes/schema.ts'
import type { Tables } from '../tables.ts'
import type { TunnelState } from '../wireguard/tunnel-controller.ts'
import { eventClasses } from './event-classes.ts'
import { createServiceReports } from './service-reports.ts'

const node: Node = {
  id: '01990000-0000-7000-8000-000000000001',
  name: 'Berlin',
  status: 'connected',
  created_at: '2026-11-27T10:00:00.000Z',
  created_by: 'admin',
  joined_at: '2026-11-27T10:00:00.000Z',
  last_seen_at: '2026-11-27T10:00:00.000Z',
  address: '192.0.2.1',
  version: '0.1.0',
  endpoint: null,
  interfaces: [],
  standby_interfaces: [],
  dns: null,
  duplicate_addresses: null,
  join_token_expires_at: null,
}

async function openReports() {
  const notifications = await openToldNotifications(eventClasses)
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const now = {
    tunnel: { status: 'up', reason: null } as TunnelState,
    notices: new Array<HealthNotice>(),
    node,
  }
  const check = createServiceReports({
    reports: notifications.reports,
    db: database.query,
    tunnels: { state: () => now.tunnel },
    nodes: {
      isEnabled: true,
      list: () => Promise.resolve({ enabled: true, nodes: [now.node] }),
    },
    health: () => Promise.resolve(now.notices),
  })
  return {
    db: database.query,
    now,
    check,
    told: () => notifications.told(),
    async [Symbol.asyncDispose]() {
      await notifications[Symbol.asyncDispose]()
      await database.close()
    },
  }
}

test('an enabled interface that does not run is told once, and once more when it runs; one switched off is not', async () => {
  await using world = await openReports()
  await world.db
    .insertInto('interfaces')
    .values(interfaceRow({ next_host: 2 }))
    .execute()
  await world.check()
  assert.deepEqual(await world.told(), [])
  world.now.tunnel = { status: 'error', reason: 'port 51820 is in use' }
  await world.check()
  await world.check()
  const began = 'began: Interface wg0 is down'
  assert.deepEqual(await world.told(), [began])
  world.now.tunnel = { status: 'up', reason: null }
  await world.check()
  const ended = 'ended: Interface wg0 is up again'
  assert.deepEqual(await world.told(), [began, ended])
  world.now.tunnel = { status: 'error', reason: null }
  await world.check()
  await world.db.updateTable('interfaces').set({ enabled: 0 }).execute()
  await world.check()
  assert.deepEqual(await world.told(), [began, ended, began])
})

test('a node that is lost is told once, and once more when it reports again', async () => {
  await using world = await openReports()
  await world.check()
  assert.deepEqual(await world.told(), [])
  world.now.node = { ...node, status: 'lost' }
  await world.check()
  await world.check()
  assert.deepEqual(await world.told(), ['began: Node Berlin does not report'])
  world.now.node = node
  await world.check()
  assert.deepEqual(await world.told(), ['began: Node Berlin does not report', 'ended: Node Berlin reports again'])
})

test('DNS that does not answer is told at the second check, other notices are not', async () => {
  await using world = await openReports()
  const notice = (code: HealthNotice['code'], title: string): HealthNotice => {
    return { code, severity: 'critical', title, detail: 'What.', advice: 'Do.' }
  }
  world.now.notices = [notice('upstreams_failing', 'No DNS upstream answers'), notice('drift', 'Interfaces differ')]
  await world.check()
  assert.deepEqual(await world.told(), [])
  await world.check()
  await world.check()
  assert.deepEqual(await world.told(), ['began: No DNS upstream answers'])
  world.now.notices = []
  await world.check()
  assert.deepEqual(await world.told(), ['began: No DNS upstream answers', 'ended: DNS answers again'])
  world.now.notices = [notice('resolver_down', 'The resolver does not run')]
  await world.check()
  world.now.notices = []
  await world.check()
  assert.equal((await world.told()).length, 2, 'a restart is nobody’s business')
})
