import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { DispatchService } from '../../src/dispatch/dispatch.ts'
import { dispatchRegisters } from '../../src/dispatch/registers.ts'
import type { DispatchStore } from '../../src/dispatch/store.ts'
import { Problem } from '../../src/problems.ts'
import type { Access, Hindrance } from './plant.ts'
import { submitter, DispatchFixture } from './fixture.ts'

const quick = { everyMs: 5, seconds: 20 }
const state = (service: DispatchService) => service.read('a').state

/** Makes only the nth write fail. */
function atWrite(position: number, how: ReturnType<Hindrance>): Hindrance {
  let writes = -1
  return ({ kind }) => {
    if (kind === 'write') writes += 1
    return kind === 'write' && writes === position ? how : undefined
  }
}

for (const name of dispatchRegisters)
  test(`a start that cannot read ${name} writes nothing, as it could not be restored`, async () => {
    await using fixture = new DispatchFixture()
    const service = await fixture.start()
    fixture.plant.hinder = (access) => (access.kind === 'read' && access.name === name ? 'unreachable' : undefined)
    await assert.rejects(service.submit('a', fixture.request('hold'), submitter), { code: 'dispatch_snapshot_stale' })
    assert.deepEqual(fixture.plant.writes, [])
    assert.equal(state(service), 'idle')
    assert.equal(service.read('a').stop_reason, 'snapshot_stale')
  })

test('a start with an outdated reading of the registers writes nothing', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  // Longer than the reading takes on a machine that is busy.
  fixture.plant.ageMs = 600_000
  await assert.rejects(service.submit('a', fixture.request('hold'), submitter), { code: 'dispatch_snapshot_stale' })
  assert.deepEqual(fixture.plant.writes, [])
})

for (const how of ['unreachable', 'unconfirmed'] as const)
  for (const position of [0, 1, 2, 3])
    test(`a start whose write ${position} is ${how} is undone in the right order`, async () => {
      await using fixture = new DispatchFixture()
      const service = await fixture.start()
      const before = { ...fixture.plant.registers }
      fixture.plant.hinder = atWrite(position, how)
      const code = how === 'unreachable' ? 'device_unreachable' : 'write_outcome_unknown'
      await assert.rejects(service.submit('a', fixture.request('charge_from_grid'), submitter), { code })
      assert.deepEqual(fixture.plant.registers, before)
      assert.deepEqual(
        fixture.plant.writes.slice(position + 1).map(({ name }) => name),
        [
          'power_mng_battery_power_extern',
          'power_mng_battery_power_extern',
          'power_mng_use_grid_power_enable',
          'power_mng_soc_target_set',
          'power_mng_soc_strategy',
        ],
      )
      const { state, stop_reason, fault_code, restore_required } = service.read('a')
      assert.deepEqual([state, stop_reason, fault_code, restore_required], ['idle', 'device_error', code, false])
    })

test('a start that cannot read the grid power before its setpoint is undone', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const before = { ...fixture.plant.registers }
  fixture.plant.hinder = ({ name }) => (name === 'grid_power' ? 'unreachable' : undefined)
  await assert.rejects(service.submit('a', fixture.request('discharge_to_load'), submitter), {
    code: 'device_unreachable',
  })
  assert.deepEqual(fixture.plant.registers, before)
  assert.equal(service.read('a').stop_reason, 'device_error')
})

test('a failed replacement restores the settings from before the first operation', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const before = { ...fixture.plant.registers }
  await service.submit('a', fixture.request('charge_from_grid'), submitter)
  fixture.plant.hinder = atWrite(1, 'unconfirmed')
  await assert.rejects(service.submit('a', fixture.request('discharge_to_load'), submitter), {
    code: 'write_outcome_unknown',
  })
  assert.deepEqual(fixture.plant.registers, before)
  assert.equal(state(service), 'idle')
})

for (const position of [0, 1, 2, 3, 4])
  test(`a restore that fails at write ${position} is repeated until the device answers again`, async () => {
    await using fixture = new DispatchFixture()
    const service = await fixture.start()
    const before = { ...fixture.plant.registers }
    await service.submit('a', fixture.request('charge_from_grid'), submitter)
    let isGone = false
    const once = atWrite(position, 'unreachable')
    fixture.plant.hinder = (access, index) => {
      isGone ||= once(access, index) !== undefined
      return isGone ? 'unreachable' : undefined
    }
    const stopped = await service.stop('a')
    assert.equal(stopped.state, 'fault_restore_pending')
    assert.equal(stopped.restore_required, true)
    assert.equal(stopped.control_state, 'unknown')
    assert.equal(stopped.restore_attempts, 1)
    assert.equal(stopped.fault_code, 'device_unreachable')
    assert.ok(stopped.next_restore_at !== null)
    assert.deepEqual(service.readiness('a'), { corrupt: false, restorePending: true, recovered: true })
    await assert.rejects(service.submit('a', fixture.request('hold'), submitter), { code: 'dispatch_restore_required' })
    await assert.rejects(service.handBack('a', 'device_reconfigured'), { code: 'dispatch_restore_required' })
    await eventually(
      () => service.read('a').restore_attempts,
      (attempts) => attempts >= 4,
      quick,
    )
    isGone = false
    fixture.plant.hinder = () => undefined
    await eventually(
      () => state(service),
      (name) => name === 'idle',
      quick,
    )
    assert.deepEqual(fixture.plant.registers, before)
    assert.equal(service.read('a').stop_reason, 'operator_cancelled')
    assert.equal(service.readiness('a').restorePending, false)
    assert.equal((await service.submit('a', fixture.request('hold'), submitter)).state, 'holding')
  })

test('restores are retried after 1, 2, 4, 8, 16 and then every 30 seconds; a stop retries at once', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  await service.submit('a', fixture.request('hold'), submitter)
  fixture.plant.hinder = ({ kind }) => (kind === 'write' ? 'unreachable' : undefined)
  const seen = new Map<number, number>()
  await service.stop('a')
  await eventually(
    () => {
      const { restore_attempts: attempts, next_restore_at: next, state } = service.read('a')
      if (state === 'fault_restore_pending' && next !== null && !seen.has(attempts))
        seen.set(attempts, Date.parse(next))
      return seen.size
    },
    (count) => count >= 8,
    { ...quick, everyMs: 2 },
  )
  const waits = [1, 2, 3, 4, 5, 6].map((attempt) => (seen.get(attempt + 1) ?? 0) - (seen.get(attempt) ?? 0))
  // Each attempt follows the previous one after the wait, plus the duration of an attempt.
  for (const [index, seconds] of [2, 4, 8, 16, 30, 30].entries())
    assert.ok(Math.abs((waits[index] ?? 0) / 1000 - seconds) < 3, `${index}: ${waits[index]}`)
  const { restore_attempts: attempts } = service.read('a')
  assert.ok((await service.stop('a')).restore_attempts > attempts)
  fixture.plant.hinder = () => undefined
  assert.equal((await service.stop('a')).state, 'idle')
})

/** A store that refuses writes from the nth on, while it is full. */
function refusing(from: number) {
  const disk = { isFull: true, saved: 0 }
  const wrap = (store: DispatchStore): DispatchStore => ({
    ...store,
    save(deviceId, row) {
      disk.saved += 1
      if (disk.isFull && disk.saved >= from) return Promise.reject(new Error('the disk is full'))
      return store.save(deviceId, row)
    },
  })
  return { disk, wrap }
}

test('a start on a full disk is refused, changes are undone, and no write is sent before it is recorded', async () => {
  for (let from = 1; from <= 11; from += 1) {
    await using fixture = new DispatchFixture()
    const { disk, wrap } = refusing(from)
    const service = await fixture.start(wrap)
    const before = { ...fixture.plant.registers }
    const error: unknown = await service
      .submit('a', fixture.request('charge_from_grid'), submitter)
      .catch((error: unknown) => error)
    assert.ok(error instanceof Problem && error.code === 'dispatch_store_unavailable', `${from}: ${String(error)}`)
    assert.deepEqual(fixture.plant.registers, before, `${from}`)
    // The request, the snapshot and the first step are stored before the first write.
    if (from <= 3) assert.deepEqual(fixture.plant.writes, [], `${from}`)
    if (from > 1) assert.equal(state(service), 'fault', `${from}`)
    await assert.rejects(service.submit('a', fixture.request('hold'), submitter), {
      code: 'dispatch_store_unavailable',
    })
    disk.isFull = false
    await eventually(
      () => service.readiness('a').restorePending,
      (pending) => !pending,
      quick,
    )
    assert.equal(state(service), 'idle')
    assert.equal((await service.submit('a', fixture.request('hold'), submitter)).state, 'holding')
  }
})

test('a stop on a full disk restores the device and reports a fault until the record is stored', async () => {
  await using fixture = new DispatchFixture()
  const { disk, wrap } = refusing(1)
  disk.isFull = false
  const service = await fixture.start(wrap)
  const before = { ...fixture.plant.registers }
  await service.submit('a', fixture.request('charge_from_grid'), submitter)
  disk.isFull = true
  disk.saved = 1
  await assert.rejects(service.stop('a'), { code: 'dispatch_store_unavailable' })
  assert.deepEqual(fixture.plant.registers, before)
  assert.equal(state(service), 'fault')
  disk.isFull = false
  assert.equal((await service.stop('a')).state, 'idle')
})

test('a replacement refused by a full disk does not change the running operation', async () => {
  await using fixture = new DispatchFixture()
  const { disk, wrap } = refusing(1)
  disk.isFull = false
  const service = await fixture.start(wrap)
  const running = await service.submit('a', fixture.request('charge_from_grid'), submitter)
  const writes = fixture.plant.writes.length
  disk.isFull = true
  disk.saved = 1
  await assert.rejects(service.submit('a', fixture.request('hold'), submitter), { code: 'dispatch_store_unavailable' })
  assert.deepEqual(service.read('a'), running)
  assert.equal(fixture.plant.writes.length, writes)
})

test('an unreadable record blocks only its own device', async () => {
  await using fixture = new DispatchFixture()
  const database = await fixture.database()
  await database.query
    .insertInto('dispatch_records')
    .values({ device_id: 'a', version: 7, state: 'charging', restore_required: 0, record: '{"phase":"idle"}' })
    .execute()
  const service = await fixture.start()
  await service.recover()
  const corrupt = { code: 'dispatch_record_corrupt' }
  assert.throws(() => service.read('a'), corrupt)
  await assert.rejects(service.submit('a', fixture.request('hold'), submitter), corrupt)
  await assert.rejects(service.preview('a', fixture.request('hold')), corrupt)
  await assert.rejects(service.stop('a'), corrupt)
  await assert.rejects(service.handBack('a', 'device_reconfigured'), corrupt)
  assert.deepEqual(service.readiness('a'), { corrupt: true, restorePending: false, recovered: true })
  assert.deepEqual(fixture.plant.accesses, [])
  assert.equal((await service.submit('b', fixture.request('hold'), submitter)).state, 'holding')
  await service.discard('a')
  assert.equal((await service.submit('a', fixture.request('hold'), submitter)).state, 'holding')
})

test('a device is restored before its configuration changes', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const before = { ...fixture.plant.registers }
  await service.handBack('a', 'device_reconfigured')
  assert.deepEqual(fixture.plant.accesses, [])
  await service.submit('a', fixture.request('charge_from_grid'), submitter)
  await service.handBack('a', 'device_reconfigured')
  assert.deepEqual(fixture.plant.registers, before)
  assert.equal(service.read('a').stop_reason, 'device_reconfigured')
})

test('no dispatch starts while a device is being changed, and a change is refused when the restore fails', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  await service.submit('a', fixture.request('charge_from_grid'), submitter)
  const start = () => service.submit('a', fixture.request('hold'), submitter)
  await service.whileHandedBack('a', 'device_reconfigured', async () => {
    assert.equal(state(service), 'idle')
    await assert.rejects(start(), { code: 'device_maintenance' })
    await service.discard('a')
  })
  assert.equal((await start()).state, 'holding')
  fixture.plant.hinder = () => 'unreachable'
  const change = () => Promise.reject(new Error('was changed although the device was not handed back'))
  await assert.rejects(service.whileHandedBack('a', 'device_reconfigured', change), {
    code: 'dispatch_restore_required',
  })
})

test('stopping the service restores devices, also in the middle of a start', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const before = { ...fixture.plant.registers }
  await service.submit('b', fixture.request('hold'), submitter)
  const neighbour = { ...fixture.neighbour.registers }
  const starting = service.submit('a', fixture.request('charge_from_grid'), submitter)
  await eventually(
    () => fixture.plant.writes.length,
    (count) => count >= 1,
    quick,
  )
  const [started] = await Promise.allSettled([starting, service.close()])
  assert.equal(started.status === 'rejected' && (started.reason as Problem).code, 'shutting_down')
  assert.deepEqual(fixture.plant.registers, before)
  assert.notDeepEqual(fixture.neighbour.registers, neighbour)
  assert.equal(service.read('a').stop_reason, 'shutdown')
  await assert.rejects(service.submit('a', fixture.request('hold'), submitter), { code: 'shutting_down' })
})

test('a device that does not answer delays shutdown by eight seconds and is restored at the next start', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const before = { ...fixture.plant.registers }
  await service.submit('a', fixture.request('charge_from_grid'), submitter)
  fixture.plant.latencyMs = 100_000
  const begun = fixture.timers.monotonic()
  await service.close()
  const took = fixture.timers.monotonic() - begun
  assert.ok(took >= 7900 && took < 15_000, String(took))
  fixture.plant.latencyMs = 20
  const next = await fixture.start()
  await next.recover()
  assert.deepEqual(fixture.plant.registers, before)
  assert.equal(state(next), 'idle')
})

test('device accesses never overlap, also when some of them fail', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  let seed = 7
  fixture.plant.hinder = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % 17 === 0 ? 'unreachable' : seed % 19 === 0 ? 'unconfirmed' : undefined
  }
  const before = { ...fixture.plant.registers }
  const modes = ['charge_from_grid', 'hold', 'discharge_to_load'] as const
  for (let round = 0; round < 12; round += 1) {
    const wishes = modes.map((mode) => service.submit('a', fixture.request(mode), submitter))
    await Promise.allSettled([
      ...wishes,
      round % 3 === 0 ? service.stop('a') : service.preview('a', fixture.request('hold')),
    ])
  }
  fixture.plant.hinder = () => undefined
  await eventually(
    async () => {
      await service.stop('a').catch(() => undefined)
      return state(service)
    },
    (name) => name === 'idle',
    quick,
  )
  assert.equal(fixture.plant.maxConcurrent, 1)
  assert.deepEqual(fixture.plant.registers, before)
  assertPlansDoNotInterleave(fixture.plant.writes)
})

/** Writes of two operations never interleave; a restore belongs to the operation it ends. */
function assertPlansDoNotInterleave(writes: readonly Access[]): void {
  const owners = writes.map(({ cause }) => cause?.operationId)
  const runs = owners.filter((owner, index) => owner !== owners[index - 1])
  assert.equal(runs.length, new Set(runs).size)
}
