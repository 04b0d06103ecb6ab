import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { DispatchService } from '../../src/dispatch/dispatch.ts'
import { capabilitiesWithout, submitter, TestHouse } from './service.ts'

const quick = { everyMs: 5, seconds: 20 }
const setpoint = 'power_mng_battery_power_extern'

async function ended(service: DispatchService): Promise<[string | null, string | null]> {
  await eventually(
    () => service.read('a').state,
    (state) => state === 'idle',
    quick,
  )
  const { stop_reason, fault_code } = service.read('a')
  return [stop_reason, fault_code]
}

async function following(house: TestHouse): Promise<DispatchService> {
  const service = await house.start()
  const started = await service.submit('a', house.request('discharge_to_load'), submitter)
  assert.equal(started.commanded_power_w, 1400)
  return service
}

test('the battery follows the load, and what flows out is cut in the next round', async () => {
  await using house = new TestHouse()
  const service = await following(house)
  house.plant.loadW = 2000
  await eventually(
    () => house.plant.registers[setpoint],
    (watts) => watts === 1900,
    quick,
  )
  // Within the deadband nothing is sent.
  const { length } = house.plant.writes
  house.plant.loadW = 2150
  await eventually(
    () => house.plant.accesses.filter(({ name }) => name === 'grid_power').length,
    (count) => count > 5,
    quick,
  )
  assert.equal(house.plant.writes.length, length)
  // Fifty watts flow out: far less than the deadband, and cut all the same.
  house.plant.loadW = 1850
  await eventually(
    () => house.plant.registers[setpoint],
    (watts) => watts === 1750,
    quick,
  )
  house.plant.pvW = 5000
  await eventually(
    () => house.plant.registers[setpoint],
    (watts) => watts === 0,
    quick,
  )
  house.plant.pvW = 0
  house.plant.loadW = 9000
  await eventually(
    () => house.plant.registers[setpoint],
    (watts) => watts === 3000,
    quick,
  )
  assert.equal(service.read('a').state, 'discharging')
  assert.equal(service.read('a').commanded_power_w, 3000)
})

test('a device with both signs the other way round is followed all the same', async () => {
  await using house = new TestHouse()
  house.capabilities = capabilitiesWithout().map((record) =>
    Object.assign({}, record, {
      ...(record.name === 'battery_power_sign_convention' ? { battery_discharge_positive: false } : {}),
      ...(record.name === 'grid_power_sign_convention' ? { grid_import_positive: false } : {}),
    }),
  )
  // Mirrored: what the house takes is what the device calls negative, load and battery alike.
  house.plant.loadW = -1500
  const service = await house.start()
  const started = await service.submit('a', house.request('discharge_to_load'), submitter)
  assert.equal(started.commanded_direction, 'discharge')
  assert.equal(house.plant.registers[setpoint], -1400)
})

test('a setpoint is written again where the device forgets it, and only there', async () => {
  await using house = new TestHouse()
  house.capabilities = [
    ...capabilitiesWithout(),
    Object.assign({}, capabilitiesWithout()[0], {
      name: 'setpoint_volatility' as const,
      volatile: true,
      refresh_interval_seconds: 10,
    }),
  ]
  const service = await house.start()
  await service.submit('a', house.request('charge_from_grid'), submitter)
  const { length } = house.plant.writes
  await eventually(
    () => house.plant.writes.length,
    (count) => count >= length + 2,
    quick,
  )
  assert.ok(house.plant.writes.slice(length).every(({ name, value }) => name === setpoint && value === -3000))
})

test('reaching or passing the target ends the operation', async () => {
  await using house = new TestHouse()
  const before = { ...house.plant.registers }
  const service = await following(house)
  house.plant.soc = 0.11
  assert.deepEqual(await ended(service), ['target_reached', null])
  assert.deepEqual(house.plant.registers, before)
  house.plant.soc = 0.5
  await service.submit('a', house.request('charge_from_grid', { target_soc_percent: 70 }), submitter)
  house.plant.soc = Math.fround(0.7)
  assert.deepEqual(await ended(service), ['target_reached', null])
})

test('a state of charge that cannot be ends the operation', async () => {
  await using house = new TestHouse()
  const before = { ...house.plant.registers }
  const service = await following(house)
  house.plant.soc = 1.7
  assert.deepEqual(await ended(service), ['device_error', 'protocol_error'])
  assert.deepEqual(house.plant.registers, before)
  await assert.rejects(service.submit('a', house.request('hold'), submitter), { code: 'protocol_error' })
})

test('readings that are old, or do not come, end the operation', async () => {
  await using house = new TestHouse()
  const service = await following(house)
  house.plant.ageMs = 6000
  assert.deepEqual(await ended(service), ['telemetry_stale', null])
  house.plant.ageMs = 0
  await service.submit('a', house.request('discharge_to_load'), submitter)
  house.plant.hinder = ({ name }) => (name === 'grid_power' ? 'unreachable' : undefined)
  assert.deepEqual(await ended(service), ['telemetry_stale', 'device_unreachable'])
})

test('one missing state of charge is no reason to stop', async () => {
  await using house = new TestHouse()
  const service = await following(house)
  let missing = 1
  house.plant.hinder = ({ name }) => (name === 'battery_soc' && missing-- > 0 ? 'unreachable' : undefined)
  await eventually(
    () => missing,
    (left) => left < -2,
    quick,
  )
  assert.equal(service.read('a').state, 'discharging')
})

test('readings that do not move although the setpoint did end the operation', async () => {
  await using house = new TestHouse()
  const service = await following(house)
  house.plant.frozen = { grid: 100, battery: 1400 }
  await eventually(
    () => house.plant.accesses.length,
    (count) => count > 40,
    quick,
  )
  assert.equal(service.read('a').state, 'discharging')
  house.plant.frozen = { grid: 900, battery: 1400 }
  assert.deepEqual(await ended(service), ['telemetry_stale', null])
})

test('time runs out at the given moment', async () => {
  await using house = new TestHouse()
  const before = { ...house.plant.registers }
  const service = await house.start()
  const until = house.inSeconds(12)
  await service.submit('a', house.request('hold', { valid_until: until }), submitter)
  assert.deepEqual(await ended(service), ['ttl_expired', null])
  const late = house.timers.now() - Date.parse(until)
  assert.ok(late >= 0 && late < 4000, String(late))
  assert.deepEqual(house.plant.registers, before)
})

test('a clock that jumps forward ends the operation, one that jumps back does not prolong it', async () => {
  await using house = new TestHouse()
  const service = await house.start()
  await service.submit('a', house.request('hold', { valid_until: house.inSeconds(7200) }), submitter)
  house.timers.jump(86_400_000)
  assert.deepEqual(await ended(service), ['ttl_expired', null])
  const begun = house.timers.monotonic()
  await service.submit('a', house.request('hold', { valid_until: house.inSeconds(60) }), submitter)
  house.timers.jump(-86_400_000)
  assert.deepEqual(await ended(service), ['ttl_expired', null])
  const lasted = house.timers.monotonic() - begun
  assert.ok(lasted >= 60_000 && lasted < 70_000, String(lasted))
})

test('without write access or an approval the operation ends', async () => {
  await using house = new TestHouse()
  const before = { ...house.plant.registers }
  const service = await following(house)
  house.isWriteAccessOn = false
  assert.deepEqual(await ended(service), ['write_not_allowed', null])
  house.isWriteAccessOn = true
  await service.submit('a', house.request('hold'), submitter)
  house.approved.delete('power_mng_soc_target_set')
  assert.deepEqual(await ended(service), ['write_not_allowed', null])
  assert.deepEqual(house.plant.registers, before)
})

test('a write of the loop that fails ends the operation', async () => {
  await using house = new TestHouse()
  const before = { ...house.plant.registers }
  const service = await following(house)
  house.plant.hinder = ({ kind, cause }) =>
    kind === 'write' && cause?.cause === 'dispatch' ? 'unconfirmed' : undefined
  house.plant.loadW = 100
  assert.deepEqual(await ended(service), ['device_error', 'write_outcome_unknown'])
  assert.deepEqual(house.plant.registers, before)
})

test('requests that come all the time do not keep the loop from its work', async () => {
  await using house = new TestHouse()
  const service = await following(house)
  house.plant.pvW = 5000
  let asked = 0
  await eventually(
    async () => {
      asked += 1
      await service.submit('a', house.request('hold', { expected_operation_id: 'x' }), submitter).catch(() => undefined)
      return house.plant.registers[setpoint]
    },
    (watts) => watts === 0,
    { ...quick, everyMs: 1, seconds: 3 },
  )
  assert.ok(asked > 5)
})
