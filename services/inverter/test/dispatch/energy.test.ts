import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import type { DispatchService } from '../../src/dispatch/dispatch.ts'
import { dispatchRegisters } from '../../src/dispatch/registers.ts'
import { openEnergyManager, type EnergyManager } from '../../src/energy/energy.ts'
import type { Readings } from '../../src/energy/energy-view.ts'
import { Energy, EnergyCommand, EnergyDevice } from '../../src/energy/schema.ts'
import { Commands } from '../../src/mqtt/commands.ts'
import { openEnergyCommands } from '../../src/mqtt/energy-commands.ts'
import { createTopics } from '../../src/mqtt/entities/topics.ts'
import { catalog } from '../in-process.ts'
import { capabilitiesWithout, submitter, DispatchFixture } from './fixture.ts'

const api = { caller: 'token', via: 'api' } as const
const admin = { caller: 'admin', via: 'admin' } as const
const charge = { action: 'charge', target_soc_percent: 80 } as const
const quick = { everyMs: 5, seconds: 20 }
const unread = { value: null, age_seconds: null, stale: true }
const noReadings: Readings = {
  battery_soc_percent: unread,
  grid_power_w: unread,
  pv_power_w: unread,
  house_load_w: unread,
  battery_power_w: unread,
}

interface Managed {
  readonly energy: EnergyManager
  readonly dispatch: DispatchService
  readonly events: string[]
  readings: Readings
  allowlisted: Set<string>
}

async function manage(fixture: DispatchFixture, dispatch?: DispatchService): Promise<Managed> {
  const service = dispatch ?? (await fixture.start())
  const managed = {
    dispatch: service,
    events: [] as string[],
    readings: noReadings,
    allowlisted: new Set<string>(dispatchRegisters),
  }
  const energy = await openEnergyManager({
    db: (await fixture.database()).query,
    clock: fixture.timers,
    log: createLog({ name: 'test', level: 'silent' }),
    devices: {
      find: (id) => (id === 'a' ? { ...fixture.device, displayName: 'Cellar' } : undefined),
      ids: () => ['a'],
    },
    dispatch: service,
    capabilities: () => Promise.resolve(fixture.capabilities),
    readings: () => Promise.resolve(managed.readings),
    connectionState: () => 'connected',
    isApproved: (name) => fixture.approved.has(name),
    approve: async (names) => {
      await Promise.resolve()
      for (const name of names) fixture.approved.add(name)
    },
    isAllowlisted: (name) => managed.allowlisted.has(name),
    isWriteAccessOn: () => fixture.isWriteAccessOn,
    publish: ({ device_id }) => void managed.events.push(device_id),
  })
  return Object.assign(managed, { energy })
}

test('a new device is off and refuses commands', async () => {
  await using fixture = new DispatchFixture()
  const { energy } = await manage(fixture)
  const state = await energy.read('a')
  assert.deepEqual(Energy.parse(state), state)
  assert.deepEqual(
    [state.mode, state.armed, state.accepts_commands_from, state.state],
    ['off', false, 'none', 'automatic'],
  )
  assert.ok(state.actions.every(({ available, reason }) => !available && reason === 'mode_off'))
  assert.deepEqual(state.readings.grid_power_w, { value: null, age_seconds: null, stale: true })
  await assert.rejects(energy.command('a', charge, api), { code: 'energy_manager_off' })
  await assert.rejects(energy.command('b', charge, api), { code: 'unknown_device' })
})

test('entering a mode needs write access, limits and the allowlist, and approves the registers', async () => {
  await using fixture = new DispatchFixture()
  const managed = await manage(fixture)
  const { energy } = managed
  const enter = () => energy.setMode('a', 'external', 'admin')
  fixture.approved.clear()
  fixture.isWriteAccessOn = false
  await assert.rejects(enter(), { code: 'energy_write_support_required' })
  fixture.isWriteAccessOn = true
  fixture.device.maxDischargePowerW = null
  await assert.rejects(enter(), { code: 'dispatch_limits_missing' })
  fixture.device.maxDischargePowerW = 3000
  managed.allowlisted.delete('power_mng_soc_strategy')
  await assert.rejects(enter(), { code: 'energy_action_unavailable' })
  managed.allowlisted.add('power_mng_soc_strategy')
  assert.equal(fixture.approved.size, 0)
  const entered = await enter()
  assert.deepEqual(EnergyDevice.parse(entered), entered)
  assert.deepEqual([entered.mode, entered.accepts_commands_from, entered.mode_changed_by], ['external', 'api', 'admin'])
  assert.deepEqual([...fixture.approved].sort(), [...dispatchRegisters].sort())
  assert.deepEqual((await (await manage(fixture, managed.dispatch)).energy.read('a')).mode, 'external')
})

test('manual mode accepts commands from pages only, external mode from the API only', async () => {
  await using fixture = new DispatchFixture()
  const { energy } = await manage(fixture)
  await energy.setMode('a', 'manual', 'admin')
  await assert.rejects(energy.command('a', charge, api), { code: 'energy_manager_not_external' })
  assert.equal((await energy.command('a', charge, admin)).state, 'charging')
  await energy.setMode('a', 'external', 'admin')
  await assert.rejects(energy.command('a', charge, admin), { code: 'energy_manager_external' })
  assert.equal((await energy.command('a', charge, api)).state, 'charging')
})

test('the reasons for refusing a command are reported in a fixed order', async () => {
  await using fixture = new DispatchFixture()
  const { energy } = await manage(fixture)
  await energy.setMode('a', 'external', 'admin')
  fixture.isWriteAccessOn = false
  fixture.approved.delete('power_mng_soc_strategy')
  const wrong = { action: 'hold', target_soc_percent: 50 } as const
  await assert.rejects(energy.command('a', wrong, api), { code: 'energy_write_support_required' })
  fixture.isWriteAccessOn = true
  await assert.rejects(energy.command('a', wrong, api), { code: 'energy_action_unavailable', message: /soc_strategy/ })
  assert.equal((await energy.read('a')).actions[0]?.reason, 'write_not_permitted')
  fixture.approved.add('power_mng_soc_strategy')
  await assert.rejects(energy.command('a', wrong, api), { code: 'invalid_request' })
  for (const command of [{ action: 'charge' }, { action: 'auto', max_power_w: 5 }] as const)
    await assert.rejects(energy.command('a', command, api), { code: 'invalid_request' })
  await assert.rejects(energy.command('a', { action: 'charge', target_soc_percent: 96 }, api), {
    code: 'value_out_of_range',
  })
  for (const body of [{ action: 'charge', target_soc_percent: 6 }, { action: 'stop' }, { action: 'hold', extra: 1 }])
    assert.equal(EnergyCommand.safeParse(body).success, false)
  fixture.capabilities = capabilitiesWithout('grid_power_sign_convention')
  await assert.rejects(energy.command('a', { action: 'discharge', target_soc_percent: 20 }, api), {
    code: 'dispatch_unverified',
  })
  const reasons = (await energy.read('a')).actions.map(({ reason }) => reason)
  assert.deepEqual(reasons, [null, 'hardware_not_verified', null, null])
  fixture.device.maxChargePowerW = null
  assert.equal((await energy.read('a')).actions[0]?.reason, 'limits_missing')
  assert.deepEqual(fixture.plant.writes, [])
})

test('a command runs for an hour with the power limit of the device; the next command replaces it', async () => {
  await using fixture = new DispatchFixture()
  const { energy, dispatch } = await manage(fixture)
  const before = { ...fixture.plant.registers }
  await energy.setMode('a', 'external', 'admin')
  const begun = fixture.timers.now()
  const charging = await energy.command('a', charge, api)
  assert.deepEqual(
    [
      charging.action,
      charging.power_limit_w,
      charging.power_limit_clamped,
      charging.commanded_power_w,
      charging.time_limited,
    ],
    ['charge', 4000, false, 4000, false],
  )
  assert.ok(Math.abs(Date.parse(charging.until ?? '') - begun - 3_600_000) < 20_000)
  const first = dispatch.read('a').operation_id
  const renewed = await energy.command('a', charge, api)
  assert.equal(renewed.state, 'charging')
  assert.notEqual(dispatch.read('a').operation_id, first)
  assert.equal((await energy.command('a', { action: 'hold' }, api)).state, 'holding')
  const automatic = await energy.command('a', { action: 'auto' }, api)
  assert.deepEqual(
    [automatic.state, automatic.action, automatic.stop_reason],
    ['automatic', null, 'stopped_by_operator'],
  )
  assert.deepEqual(fixture.plant.registers, before)
  assert.equal((await energy.command('a', { action: 'auto' }, api)).state, 'automatic')
})

test('the latest fifty stops are kept with their reasons', async () => {
  await using fixture = new DispatchFixture()
  const { energy } = await manage(fixture)
  await energy.setMode('a', 'external', 'admin')
  await energy.command('a', charge, api)
  fixture.plant.soc = 0.85
  await eventually(
    () => energy.read('a'),
    ({ state }) => state === 'automatic',
    quick,
  )
  assert.equal((await energy.read('a')).stop_reason, 'target_reached')
  fixture.plant.soc = 0.5
  for (let round = 0; round < 52; round += 1) {
    await energy.command('a', { action: 'hold' }, api)
    await energy.command('a', { action: 'auto' }, api)
    if (round === 0) {
      const stops = (await energy.devices())[0]?.stops ?? []
      assert.deepEqual(
        stops.map(({ action, reason }) => [action, reason]),
        [
          ['hold', 'stopped_by_operator'],
          ['charge', 'target_reached'],
        ],
      )
    }
  }
  const stops = await eventually(
    async () => (await energy.devices())[0]?.stops ?? [],
    ({ length }) => length === 50,
    quick,
  )
  assert.ok(stops.every(({ action }) => action === 'hold'))
  const rows = await (await fixture.database()).query.selectFrom('energy_stops').selectAll().execute()
  assert.equal(rows.length, 50)
  await energy.reset('a')
  assert.deepEqual((await energy.devices())[0]?.stops, [])
  assert.equal((await energy.read('a')).mode, 'off')
})

test('leaving a mode restores the device first; when the restore fails the mode stays', async () => {
  await using fixture = new DispatchFixture()
  const { energy, dispatch } = await manage(fixture)
  const before = { ...fixture.plant.registers }
  await energy.setMode('a', 'external', 'admin')
  await energy.command('a', charge, api)
  fixture.plant.hinder = ({ kind }) => (kind === 'write' ? 'unreachable' : undefined)
  await assert.rejects(energy.setMode('a', 'off', 'admin'), { code: 'dispatch_restore_required' })
  const [stuck] = await energy.devices()
  assert.deepEqual([stuck?.mode, stuck?.state, stuck?.restore_attempts], ['external', 'fault', 1])
  assert.equal(stuck?.actions[0]?.reason, 'restore_required')
  fixture.plant.hinder = () => undefined
  assert.equal((await energy.setMode('a', 'off', 'admin')).mode, 'off')
  assert.deepEqual(fixture.plant.registers, before)
  // The Energy Manager does not end operations that it did not start.
  await energy.setMode('a', 'manual', 'admin')
  await dispatch.submit('a', fixture.request('hold'), submitter)
  assert.equal((await energy.read('a')).action, null)
  await energy.setMode('a', 'off', 'admin')
  assert.equal(dispatch.read('a').state, 'holding')
})

test('commands are refused while the mode changes', async () => {
  await using fixture = new DispatchFixture()
  const { energy, dispatch } = await manage(fixture)
  await energy.setMode('a', 'external', 'admin')
  await energy.command('a', charge, api)
  const leaving = energy.setMode('a', 'off', 'admin')
  await assert.rejects(energy.command('a', { action: 'hold' }, api), { code: 'energy_manager_off' })
  await assert.rejects(energy.setMode('a', 'manual', 'admin'), { code: 'conflict' })
  assert.equal((await leaving).mode, 'off')
  assert.equal(dispatch.read('a').state, 'idle')
})

/** A charge that waits for the device to tell its firmware: nothing of it is stored yet. */
async function beginCharging(fixture: DispatchFixture) {
  const { plant } = fixture
  const { energy, dispatch } = await manage(fixture)
  const before = { ...plant.registers }
  await energy.setMode('a', 'external', 'admin')
  const { promise, resolve } = Promise.withResolvers<void>()
  plant.identify = () => promise
  const charging = energy.command('a', charge, api)
  /** The device has its own settings, and is as it was. */
  const isUntouched = () => {
    assert.equal(dispatch.read('a').state, 'idle')
    assert.deepEqual(plant.registers, before)
  }
  return { energy, charging, goOn: resolve, isUntouched }
}

test('auto ends a command that is still beginning', async () => {
  await using fixture = new DispatchFixture()
  const { energy, charging, goOn, isUntouched } = await beginCharging(fixture)
  const automatic = energy.command('a', { action: 'auto' }, api)
  goOn()
  await Promise.allSettled([charging, automatic])
  assert.equal((await automatic).state, 'automatic')
  isUntouched()
})

test('leaving a mode ends a command that is still beginning, and refuses those behind it', async () => {
  await using fixture = new DispatchFixture()
  const { energy, charging, goOn, isUntouched } = await beginCharging(fixture)
  const holding = energy.command('a', { action: 'hold' }, api)
  const leaving = energy.setMode('a', 'off', 'admin')
  goOn()
  const refused = { code: 'energy_manager_off' }
  await Promise.all([assert.rejects(charging, refused), assert.rejects(holding, refused)])
  assert.equal((await leaving).mode, 'off')
  isUntouched()
  assert.deepEqual(fixture.plant.writes, [])
})

/** Commands by MQTT to the device, and what was answered to them. */
async function hearMqtt({ energy }: Managed, fixture: DispatchFixture) {
  const { query } = await fixture.database()
  const answers: { outcome: string; detail: string }[] = []
  const commands = new Commands({
    catalog,
    topics: createTopics({ base_topic: 'hearth', discovery_prefix: 'homeassistant' }),
    timers: fixture.timers,
    log: createLog({ name: 'test', level: 'silent' }),
    isDevice: (id) => id === 'a',
    isWriteAccessOn: () => true,
    isOffered: () => true,
    writes: { write: () => Promise.reject(new Error()), triggerAction: () => Promise.reject(new Error()) },
    energy: await openEnergyCommands(query, energy),
    send: ({ payload }) => void answers.push(JSON.parse(payload)),
    onDone: () => undefined,
  })
  const take = (name: string, text: string) =>
    commands.take({ topic: `hearth/a/${name}/set`, payload: Buffer.from(text), isRetained: false })
  const isStored = (text: string) =>
    eventually(
      async () => (await query.selectFrom('settings').selectAll().execute()).map(({ value }) => value),
      (values) => values.some((value) => value.includes(text)),
      quick,
    )
  return { commands, take, isStored, answers }
}

/** Lets the next reading of the plant wait; resolves once one waits. */
async function haltReading({ plant }: DispatchFixture) {
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  const read = plant.readFresh.bind(plant)
  let isWaiting = false
  plant.readFresh = async (name) => {
    isWaiting = true
    await promise
    return read(name)
  }
  await eventually(
    () => isWaiting,
    (waits) => waits,
    quick,
  )
  return goOn
}

test('commands of a device by MQTT are carried out in the order they came', async () => {
  await using fixture = new DispatchFixture()
  const managed = await manage(fixture)
  const { energy, dispatch } = managed
  const before = { ...fixture.plant.registers }
  await energy.setMode('a', 'external', 'admin')
  const { commands, take, isStored, answers } = await hearMqtt(managed, fixture)
  take('energy_target_soc', '80')
  take('energy_action', 'charge')
  await commands.idle()
  assert.equal(dispatch.read('a').state, 'charging')
  const goOn = await haltReading(fixture)
  take('energy_max_power', '2000')
  take('energy_action', 'auto')
  await isStored('2000')
  goOn()
  await commands.idle()
  assert.equal(dispatch.read('a').state, 'idle')
  assert.deepEqual(fixture.plant.registers, before)
  assert.deepEqual(
    answers.map(({ outcome }) => outcome),
    ['confirmed', 'confirmed', 'confirmed', 'confirmed'],
  )
})

test('a power by MQTT is for the next command when the action has ended meanwhile', async () => {
  await using fixture = new DispatchFixture()
  const managed = await manage(fixture)
  const { energy, dispatch } = managed
  const before = { ...fixture.plant.registers }
  await energy.setMode('a', 'external', 'admin')
  await energy.command('a', charge, api)
  const { commands, take, isStored, answers } = await hearMqtt(managed, fixture)
  const goOn = await haltReading(fixture)
  const automatic = energy.command('a', { action: 'auto' }, api)
  take('energy_target_soc', '90')
  take('energy_max_power', '2000')
  await isStored('90')
  goOn()
  await Promise.all([automatic, commands.idle()])
  assert.equal(dispatch.read('a').state, 'idle')
  assert.deepEqual(fixture.plant.registers, before)
  assert.deepEqual(
    answers.map(({ outcome }) => outcome),
    ['confirmed', 'confirmed'],
  )
})

test('readings count import and discharge as positive, and engineering mode shortens a command', async () => {
  await using fixture = new DispatchFixture()
  const managed = await manage(fixture)
  const { energy } = managed
  const reading = (value: number) => ({ value, age_seconds: 1, stale: false })
  managed.readings = {
    ...noReadings,
    battery_soc_percent: reading(55),
    grid_power_w: reading(-300),
    battery_power_w: reading(200),
  }
  fixture.capabilities = capabilitiesWithout('grid_power_sign_convention').map((record) =>
    Object.assign({}, record, {
      grid_import_positive: record.name === 'grid_power_sign_convention' ? false : null,
      battery_discharge_positive: record.name === 'battery_power_sign_convention' ? true : null,
    }),
  )
  fixture.device.engineeringMode = true
  await energy.setMode('a', 'external', 'admin')
  const state = await energy.command('a', { action: 'discharge', target_soc_percent: 20, max_power_w: 9000 }, api)
  assert.equal(state.readings.grid_power_w.value, 300)
  assert.equal(state.readings.battery_power_w.value, 200)
  assert.equal(state.readings.battery_soc_percent.value, 55)
  assert.equal(state.time_limited, true)
  assert.equal(state.power_limit_clamped, true)
  assert.deepEqual((await energy.devices())[0]?.gates, {
    charge: 'verified',
    discharge: 'engineering',
    hold: 'verified',
  })
})

test('an unreadable dispatch record is shown as a fault', async () => {
  await using fixture = new DispatchFixture()
  await (
    await fixture.database()
  ).query
    .insertInto('dispatch_records')
    .values({ device_id: 'a', version: 1, state: 'idle', restore_required: 0, record: '' })
    .execute()
  const { energy } = await manage(fixture)
  const corrupt = { code: 'dispatch_record_corrupt' }
  await assert.rejects(energy.read('a'), corrupt)
  await assert.rejects(energy.command('a', charge, api), corrupt)
  const [device] = await energy.devices()
  assert.deepEqual([device?.state, device?.fault_code], ['fault', 'dispatch_record_corrupt'])
  assert.equal((await energy.setMode('a', 'manual', 'admin')).mode, 'manual')
  assert.equal((await energy.setMode('a', 'off', 'admin')).mode, 'off')
})
