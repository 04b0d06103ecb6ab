import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { capabilitiesWithout, submitter, DispatchFixture } from './fixture.ts'
import type { DispatchService } from '../../src/dispatch/dispatch.ts'
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

test('a charge below the limit of the grid connection is handed back after the process was killed', async () => {
  await using fixture = new DispatchFixture()
  fixture.limitW = 4000
  fixture.plant.loadW = 1500
  const killed = await fixture.start()
  assert.equal((await killed.submit('a', fixture.request('charge_from_grid'), submitter)).commanded_power_w, 2400)
  const service = await fixture.start()
  assert.equal(service.readiness('a').corrupt, false)
  await service.recover()
  assert.equal(service.read('a').state, 'idle')
  assert.equal(fixture.plant.registers['power_mng_soc_strategy'], 4, 'its own settings are back')
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

for (const mode of ['discharge_to_load', 'charge_from_grid'] as const)
  test(`${mode} ends when the grid power of the inverter that sees it stands still, though the battery follows`, async () => {
    await using fixture = oneHouse(new DispatchFixture())
    fixture.limitW = 4000
    fixture.plant.frozen = { grid: 600, battery: 0 }
    const service = await fixture.start()
    await service.submit('b', fixture.request(mode), submitter)
    const ended = await eventually(
      () => service.read('b'),
      ({ state }) => state === 'idle',
      quick,
    )
    assert.equal(ended.stop_reason, 'telemetry_stale')
    assert.equal(fixture.neighbour.registers['power_mng_soc_strategy'], 4, 'its own settings are back')
  })

test('an operation on the grid power of another inverter ends when its battery stands still', async () => {
  await using fixture = oneHouse(new DispatchFixture())
  fixture.neighbour.frozen = { grid: 0, battery: 50 }
  const service = await fixture.start()
  await service.submit('b', fixture.request('discharge_to_load'), submitter)
  let loadW = 2000
  fixture.plant.hinder = ({ name }) => (name === 'grid_power' ? (loadW += 1) : undefined)
  await eventually(
    () => service.read('b').stop_reason,
    (reason) => reason === 'telemetry_stale',
    quick,
  )
})

/** Waits for the end of what runs on the neighbour; it has its own settings back then. */
async function reconfigured(fixture: DispatchFixture, service: DispatchService): Promise<void> {
  const ended = await eventually(
    () => service.read('b'),
    ({ state }) => state === 'idle',
    quick,
  )
  assert.equal(ended.stop_reason, 'device_reconfigured')
  assert.equal(fixture.neighbour.registers['power_mng_soc_strategy'], 4, 'its own settings are back')
}

test('a charge that cannot see a limit that is set while it runs ends, and begins again below it', async () => {
  await using fixture = oneHouse(new DispatchFixture())
  fixture.plant.loadW = 1500
  const service = await fixture.start()
  await service.submit('b', fixture.request('charge_from_grid'), submitter)
  assert.equal(fixture.neighbour.registers[setpoint], -3000)
  fixture.limitW = 4000
  await reconfigured(fixture, service)
  await service.submit('b', fixture.request('charge_from_grid'), submitter)
  assert.equal(fixture.neighbour.registers[setpoint], -2400)
})

test('an operation ends when another inverter is to see the grid connection, or its sign becomes another', async () => {
  await using fixture = oneHouse(new DispatchFixture())
  const service = await fixture.start()
  await service.submit('b', fixture.request('discharge_to_load'), submitter)
  fixture.meterId = 'b'
  await reconfigured(fixture, service)
  fixture.meterId = 'a'
  await service.submit('b', fixture.request('discharge_to_load'), submitter)
  fixture.ownCapabilities.set('a', exportPositive())
  await reconfigured(fixture, service)
})

test('an operation reads the inverter whose sign it was judged by, once its firmware is known', async () => {
  await using fixture = oneHouse(new DispatchFixture())
  const service = await fixture.start()
  // Another firmware takes the verification away.
  const request = () => service.submit('b', fixture.request('discharge_to_load'), submitter)
  fixture.plant.identified = () => fixture.ownCapabilities.set('a', capabilitiesWithout('grid_power_sign_convention'))
  await assert.rejects(request(), { code: 'dispatch_unverified' })
  assert.deepEqual(fixture.neighbour.writes, [])
  fixture.ownCapabilities.clear()
  fixture.plant.identified = () => undefined
  // The other inverter counts the other way; it becomes the meter after the request was judged.
  fixture.ownCapabilities.set('b', exportPositive())
  fixture.neighbour.hinder = ({ name }) => {
    if (name === 'power_mng_soc_strategy') fixture.meterId = 'b'
    return undefined
  }
  await assert.rejects(request(), { code: 'dispatch_operation_conflict' })
  assert.equal(fixture.neighbour.registers[setpoint], 123.5)
  assert.equal(service.read('b').state, 'idle')
})

const exportPositive = () =>
  capabilitiesWithout().map((record) =>
    record.name === 'grid_power_sign_convention' ? Object.assign(record, { grid_import_positive: false }) : record,
  )

test('a charge below a limit needs the sign of the grid power, and one without a limit does not', async () => {
  await using fixture = oneHouse(new DispatchFixture())
  fixture.ownCapabilities.set('a', capabilitiesWithout('grid_power_sign_convention'))
  const service = await fixture.start()
  await service.submit('a', fixture.request('charge_from_grid'), submitter)
  fixture.limitW = 4000
  await eventually(
    () => service.read('a').state,
    (state) => state === 'idle',
    quick,
  )
  assert.equal(service.read('a').fault_code, 'dispatch_unverified')
  await assert.rejects(service.submit('b', fixture.request('charge_from_grid'), submitter), {
    code: 'dispatch_unverified',
    message: /Inverters, a, Capabilities.*--device a grid_power_sign_convention/,
  })
})

test('two charges that start together share what the limit leaves', async () => {
  await using fixture = oneHouse(new DispatchFixture())
  fixture.limitW = 4000
  fixture.plant.loadW = 900
  const service = await fixture.start()
  const started = await Promise.all(
    ['a', 'b'].map((id) => service.submit(id, fixture.request('charge_from_grid'), submitter)),
  )
  assert.ok(
    started.reduce((sum, { commanded_power_w: watts }) => sum + watts, 0) <= 3000,
    `they take ${started.map(({ commanded_power_w: watts }) => watts).join(' and ')} W`,
  )
})
