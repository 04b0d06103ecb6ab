import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import type { CapabilityCheck } from '../src/capability-checks/schema.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { catalog, main, startGateway, type TestGateway } from './in-process.ts'

const register = 'power_mng_soc_target_set'
const path = (name: string) => `/admin/api/dispatch/devices/main/capabilities/${name}/check`
const check = (gateway: TestGateway, name: string) => gateway.operate('POST', path(name)) as Promise<CapabilityCheck>
const held = ({ inverter }: Pick<TestGateway, 'inverter'>) => inverter.registers.get(register)

/** Writes of the checked register that reached the inverter. */
const writesTo = ({ inverter }: TestGateway) => {
  const id = catalog.byName(register)?.objectId
  return inverter.wire.filter(({ frame }) => frame?.command === 'write' && frame.objectId === id).length
}

test('the write method is checked with a value that is put back, and nothing is recorded', async () => {
  await using gateway = await startGateway()
  await gateway.isReady()
  await gateway.allowWriting(register)
  const result = await check(gateway, 'write_path_convention')
  assert.equal(result.outcome, 'found', result.detail)
  assert.deepEqual(result.evidence, {
    soc_target_unit: 'ratio',
    enum_byte_width: 1,
    bool_byte_width: 1,
    write_frame_layout_verified: true,
  })
  assert.deepEqual([held(gateway), writesTo(gateway), result.steps.length], [0.5, 2, 3])
  const journal = await gateway.call('GET', main('/journal'))
  assert.deepEqual(
    journal.body.entries.map((entry: { new_value: number; outcome: string }) => [
      Number(entry.new_value.toFixed(4)),
      entry.outcome,
    ]),
    [
      [0.5, 'confirmed'],
      [0.51, 'confirmed'],
    ],
  )
  const recorded = (await gateway.operate('GET', '/admin/api/dispatch/devices/main/capabilities')) as {
    capabilities: { status: string }[]
  }
  assert.ok(recorded.capabilities.every(({ status }) => status === 'unverified'))
})

test('a check goes through the gate of every write, and never writes during an operation', async () => {
  await using gateway = await startGateway()
  await gateway.isReady()
  await assert.rejects(check(gateway, 'write_path_convention'), /not approved/)
  await gateway.operate('PATCH', '/admin/api/parameters', { approve: [register] })
  await assert.rejects(check(gateway, 'write_path_convention'), /Write access is off/)
  assert.deepEqual([held(gateway), writesTo(gateway)], [0.5, 0])
  await gateway.allowDispatch()
  const charge = {
    mode: 'charge_from_grid',
    target_soc_percent: 90,
    max_power_w: 2000,
    valid_until: new Date(gateway.timers.now() + 3_600_000).toISOString(),
  }
  const started = await gateway.call('POST', main('/battery/dispatch'), charge)
  assert.equal(started.status, 200, started.text)
  await assert.rejects(check(gateway, 'write_path_convention'), /depends on it/)
  await gateway.call('DELETE', main('/battery/dispatch'))
  await assert.rejects(gateway.operate('POST', path('setpoint_volatility')), /name/)
})

test('a target of 0 or 1 may be a share or a percentage, so the check writes nothing', async () => {
  await using gateway = await startGateway()
  await gateway.isReady()
  await gateway.allowWriting(register)
  for (const target of [0, 1]) {
    gateway.inverter.registers.set(register, target)
    const result = await check(gateway, 'write_path_convention')
    assert.deepEqual([result.outcome, result.evidence, held(gateway)], ['inconclusive', {}, target])
    assert.match(result.detail, /Set a target in between first/)
  }
  assert.equal(writesTo(gateway), 0)
})

test('an inverter that takes no writes is told as that', async () => {
  await using gateway = await startGateway({ simulator: { faults: { stuck: [register] } } })
  await gateway.isReady()
  await gateway.allowWriting(register)
  const result = await check(gateway, 'write_path_convention')
  assert.deepEqual([result.outcome, held(gateway)], ['failed', 0.5])
  assert.match(result.detail, /does not take writes/)
})

test('a value that could not be put back is put back after the next start', async () => {
  const timers = createFastTimers(3)
  const inverter = await startSimulator({ port: 0, timers, catalog, seed: 1 })
  const first = await startGateway({ timers, inverter })
  await first.isReady()
  await first.allowWriting(register)
  const running = check(first, 'write_path_convention').catch((error: unknown) => error as Error)
  await eventually(
    () => held(first),
    (value) => value !== 0.5,
    { what: 'the written value', everyMs: 5 },
  )
  inverter.setFaults({ stuck: [register] })
  const result = (await running) as CapabilityCheck
  assert.deepEqual([result.outcome, /not back yet/.test(result.detail)], ['failed', true])
  await assert.rejects(check(first, 'write_path_convention'), /not back yet/)
  await first.stop()
  assert.notEqual(held(first), 0.5)

  inverter.setFaults({ stuck: [] })
  await using again = await startGateway({ timers, inverter, folder: first.folder })
  await eventually(
    () => held(again),
    (value) => value === 0.5,
    { what: 'the old value', seconds: 30 },
  )
  await again.isReady()
  const after = await eventually(
    () => check(again, 'write_path_convention').catch(() => undefined),
    (done) => done !== undefined,
    { what: 'another check', seconds: 30, everyMs: 100 },
  )
  assert.equal(after?.outcome, 'found')
  await first[Symbol.asyncDispose]()
  await inverter.close()
})

test('signs are told from readings alone', async () => {
  const values = { solar_a_power: 0, solar_b_power: 0, household_load_power: 1000, grid_power: 210, battery_power: 800 }
  await using gateway = await startGateway({ simulator: { faults: { values } } })
  await gateway.isReady()
  await eventually(
    () => gateway.operate('GET', '/admin/api/devices') as Promise<{ devices: { firmware: string | null }[] }>,
    ({ devices }) => devices[0]?.firmware === '5687',
    { what: 'the firmware of the inverter' },
  )
  const battery = await check(gateway, 'battery_power_sign_convention')
  assert.deepEqual(
    [battery.outcome, battery.evidence, battery.firmware],
    ['found', { battery_discharge_positive: true }, '5687'],
  )
  const grid = await check(gateway, 'grid_power_sign_convention')
  assert.deepEqual([grid.outcome, grid.evidence], ['found', { grid_import_positive: true }])
  gateway.inverter.setFaults({ values: { ...values, battery_power: 20 } })
  const idle = await check(gateway, 'battery_power_sign_convention')
  assert.deepEqual([idle.outcome, idle.evidence], ['inconclusive', {}])
  assert.match(idle.detail, /Try again while the battery charges/)
  assert.equal(writesTo(gateway), 0)
})
