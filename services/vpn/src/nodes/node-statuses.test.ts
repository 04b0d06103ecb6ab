import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { migrations } from '../database/migrations/index.ts'
import { Placement } from '../interfaces/placement.ts'
import type { Tables } from '../tables.ts'
import { createStateWatch, NodeStatuses, reportedColumn } from './node-statuses.ts'
import { insertNodeRow, updateNodeRow } from './store.ts'

const start = Date.parse('2026-11-27T12:00:00Z')

async function openStatuses() {
  const database = openDatabase<Tables>({ file: ':memory:' })
  const db = database.query
  await migrate(db, migrations)
  const clock = createManualClock(start)
  const times = { created_at: start, joined_at: null, last_seen_at: null }
  const unknown = {
    fingerprint: null,
    address: null,
    version: null,
    endpoint: null,
    reported: null,
    reported_dns: null,
    reported_networks: null,
  }
  const row = {
    id: 'n1',
    name: 'Berlin',
    name_key: 'berlin',
    created_by: null,
    traffic_count: null,
    traffic_number: null,
  }
  await insertNodeRow(db, { ...row, ...times, ...unknown })
  const open = async () => {
    const statuses = new NodeStatuses({ db, clock })
    await statuses.reload()
    return statuses
  }
  const first = await open()
  return {
    clock,
    open,
    async report(interfaces?: { name: string; status: 'up' | 'down' | 'error'; reason: string | null }[]) {
      const reported = reportedColumn({ interfaces })
      await updateNodeRow(db, 'n1', { fingerprint: 'f', last_seen_at: clock.now(), reported })
      await first.reload()
    },
    state: (statuses = first, more: { isEnabled?: boolean; since?: number } = {}) =>
      Object.values(statuses.stateOf({ name: 'wg0', nodeId: 'n1', isEnabled: true, since: start, ...more })),
    [Symbol.asyncDispose]: () => database.close(),
  }
}

test('an interface on a node waits for a minute, runs when its node says so, and has failed when it is lost', async () => {
  await using world = await openStatuses()
  assert.deepEqual(world.state(), ['error', 'node Berlin has not joined yet'])
  await world.report([])
  assert.deepEqual(world.state(), ['down', 'node Berlin has not taken this over yet'])
  world.clock.advance(60_001)
  assert.deepEqual(world.state(), ['error', 'node Berlin has not taken this over yet'])
  const since = world.clock.now()
  assert.deepEqual(world.state(undefined, { since }), ['down', 'node Berlin has not taken this over yet'])
  await world.report([{ name: 'wg0', status: 'error', reason: null }])
  assert.deepEqual(world.state(), ['error', 'node Berlin: no reason is known'])
  await world.report([{ name: 'wg0', status: 'up', reason: null }])
  assert.deepEqual(world.state(), ['up', null])
  world.clock.advance(90_001)
  assert.deepEqual(world.state(), ['error', 'node Berlin is lost since 2026-11-27T12:01:00.001Z'])
  assert.deepEqual(world.state(undefined, { isEnabled: false }), ['down', null], 'nobody misses a stopped one')
  assert.deepEqual(
    world.state(await world.open()),
    ['up', null],
    'a service that has just started waits for the report',
  )
})

test('a state that changes with time alone is noticed once', async () => {
  await using world = await openStatuses()
  await world.report([{ name: 'wg0', status: 'up', reason: null }])
  const statuses = await world.open()
  const placement = new Placement()
  const hasChanged = createStateWatch(placement, statuses)
  placement.place({ name: 'wg0', node_id: 'n1', standby_node_id: null, enabled: 1 }, world.clock.now())
  assert.deepEqual([hasChanged(), hasChanged()], [true, false])
  world.clock.advance(90_001)
  assert.deepEqual([hasChanged(), hasChanged()], [true, false])
})

test('a node that speaks of no interfaces is told apart from one that has not taken one over', async () => {
  await using world = await openStatuses()
  await world.report()
  assert.match(String(world.state()[1]), /does not run interfaces yet: start it there, or update Hearth/)
})
