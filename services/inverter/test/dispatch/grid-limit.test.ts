import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { capabilitiesWithout, submitter, DispatchFixture } from './fixture.ts'
import type { Plant } from './plant.ts'

const quick = { everyMs: 5, seconds: 20 }
const setpoint = 'power_mng_battery_power_extern'

/** A fixture whose two batteries are in one house, and only the sensor of the first sees its grid connection. */
function oneHouse(fixture: DispatchFixture): DispatchFixture {
  fixture.isOneHouse = true
  fixture.neighbour.isBlind = true
  fixture.plant.othersW = () => fixture.neighbour.batteryW
  return fixture
}

const setpointWhen = (plant: Plant, isRight: (watts: number) => boolean, what: string) =>
  eventually(() => Number(plant.registers[setpoint]), isRight, { ...quick, what })

test('a charge leaves the house the grid connection, from its first setpoint on', async () => {
  await using fixture = new DispatchFixture()
  fixture.limitW = 4000
  fixture.plant.loadW = 1500
  const service = await fixture.start()
  const started = await service.submit('a', fixture.request('charge_from_grid'), submitter)
  // 100 W stay free below the limit.
  assert.equal(started.commanded_power_w, 2400)
  fixture.plant.loadW = 2500
  await setpointWhen(fixture.plant, (watts) => watts === -1400, 'less beside an oven')
  fixture.plant.loadW = 6000
  await setpointWhen(fixture.plant, (watts) => watts === 0, 'nothing when the house takes it all')
  assert.equal(service.read('a').state, 'charging')
  fixture.plant.loadW = 500
  await setpointWhen(fixture.plant, (watts) => watts === -3000, 'all of it again')
  // The limit may be changed while it runs, and set.
  fixture.limitW = null
  fixture.plant.loadW = 1000
  await setpointWhen(fixture.plant, (watts) => watts === -3000, 'no limit')
  fixture.plant.loadW = 500
  fixture.limitW = 2600
  await setpointWhen(fixture.plant, (watts) => watts === -2000, 'a lower limit')
})

test('a limit that is set while a charge runs holds for it', async () => {
  await using fixture = new DispatchFixture()
  fixture.plant.loadW = 1500
  const service = await fixture.start()
  await service.submit('a', fixture.request('charge_from_grid'), submitter)
  assert.equal(fixture.plant.registers[setpoint], -3000)
  fixture.limitW = 4000
  await setpointWhen(fixture.plant, (watts) => watts === -2400, 'the limit kept')
})

test('a small excess is cut at once, and no charge is sent again for what the house takes less', async () => {
  await using fixture = new DispatchFixture()
  fixture.limitW = 4000
  fixture.plant.loadW = 1500
  const service = await fixture.start()
  await service.submit('a', fixture.request('charge_from_grid'), submitter)
  fixture.plant.loadW = 1650
  await setpointWhen(fixture.plant, (watts) => watts === -2250, 'a cut of 150 W')
  const { length } = fixture.plant.writes
  fixture.plant.loadW = 1550
  const rounds = fixture.plant.accesses.length
  await eventually(
    () => fixture.plant.accesses.length - rounds,
    (count) => count > 15,
    quick,
  )
  assert.equal(fixture.plant.writes.length, length)
})

test('an inverter whose sensor sees nothing keeps the limit by that of another one, and both together do', async () => {
  await using fixture = oneHouse(new DispatchFixture())
  fixture.limitW = 4000
  fixture.plant.loadW = 500
  const service = await fixture.start()
  await service.submit('b', fixture.request('charge_from_grid'), submitter)
  assert.equal(fixture.neighbour.registers[setpoint], -3000)
  await service.submit('a', fixture.request('charge_from_grid'), submitter)
  await eventually(
    () => fixture.plant.gridW,
    (watts) => watts <= 4000 && watts >= 3500,
    { ...quick, what: 'both below the limit' },
  )
  fixture.plant.loadW = 2000
  await eventually(
    () => fixture.plant.gridW,
    (watts) => watts <= 4000 && watts >= 3500,
    { ...quick, what: 'both below the limit beside an oven' },
  )
  const both = [fixture.plant, fixture.neighbour].map(({ registers }) => Number(registers[setpoint]))
  assert.ok(
    both[0] !== undefined && both[1] !== undefined && both[0] + both[1] < -1000,
    `they charge: ${both.join(' ')}`,
  )
})

test('two batteries follow the load of one house together, without swinging', async () => {
  await using fixture = oneHouse(new DispatchFixture())
  fixture.plant.loadW = 4000
  const service = await fixture.start()
  await service.submit('a', fixture.request('discharge_to_load', { max_power_w: 2500 }), submitter)
  await service.submit('b', fixture.request('discharge_to_load', { max_power_w: 2500 }), submitter)
  // The reserve, and a part below the deadband for each.
  const isSettled = (watts: number) => watts > 0 && watts <= 500
  await eventually(() => fixture.plant.gridW, isSettled, { ...quick, what: 'the load followed' })
  fixture.plant.loadW = 2500
  await eventually(() => fixture.plant.gridW, isSettled, { ...quick, what: 'less load followed' })
  const rounds = fixture.neighbour.accesses.length
  const writes = fixture.plant.writes.length + fixture.neighbour.writes.length
  await eventually(
    () => fixture.neighbour.accesses.length - rounds,
    (count) => count > 15,
    quick,
  )
  assert.ok(fixture.plant.writes.length + fixture.neighbour.writes.length - writes <= 2, 'nothing swings')
  assert.ok(isSettled(fixture.plant.gridW))
})

test('without the inverter that sees the grid, what needs it ends, and what does not goes on', async () => {
  await using fixture = oneHouse(new DispatchFixture())
  const service = await fixture.start()
  await service.submit('b', fixture.request('charge_from_grid'), submitter)
  fixture.plant.hinder = () => 'unreachable'
  const rounds = fixture.neighbour.accesses.length
  await eventually(
    () => fixture.neighbour.accesses.length - rounds,
    (count) => count > 12,
    quick,
  )
  assert.equal(service.read('b').state, 'charging')
  fixture.plant.hinder = () => undefined
  await service.submit('b', fixture.request('discharge_to_load'), submitter)
  fixture.plant.hinder = () => 'unreachable'
  await eventually(
    () => service.read('b').state,
    (state) => state === 'idle',
    quick,
  )
  assert.equal(service.read('b').stop_reason, 'telemetry_stale')
  assert.deepEqual(fixture.neighbour.registers['power_mng_soc_strategy'], 4, 'its own settings are back')
  const refused = service.submit('b', fixture.request('discharge_to_load'), submitter)
  await assert.rejects(refused, { code: 'device_unreachable' })
})

test('the sign of the grid power must be verified where it is read', async () => {
  await using fixture = oneHouse(new DispatchFixture())
  fixture.capabilities = capabilitiesWithout('grid_power_sign_convention')
  const service = await fixture.start()
  await assert.rejects(service.submit('b', fixture.request('discharge_to_load'), submitter), {
    code: 'dispatch_unverified',
  })
  fixture.capabilities = capabilitiesWithout()
  await service.submit('b', fixture.request('discharge_to_load'), submitter)
  const change = service.guarded('a', () => Promise.resolve(), ['grid_power_sign_convention'])
  await assert.rejects(change, { code: 'dispatch_capability_conflict' })
})
