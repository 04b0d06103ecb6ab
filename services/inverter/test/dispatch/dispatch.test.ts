import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { Dispatch, DispatchPreview, DispatchRequest } from '../../src/dispatch/schema.ts'
import { Problem } from '../../src/problems.ts'
import { capabilitiesWithout, submitter, DispatchFixture } from './fixture.ts'

const quick = { everyMs: 5 }

test('charging sets the registers, reports them, and restores them at its end', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const { plant } = fixture
  const before = { ...plant.registers }
  const started = await service.submit('a', fixture.request('charge_from_grid', { max_power_w: 9000 }), submitter)
  assert.deepEqual(Dispatch.parse(started), started)
  assert.deepEqual(
    { ...started, operation_id: '', valid_until: '' },
    {
      device_id: 'a',
      operation_id: '',
      mode: 'charge_from_grid',
      state: 'charging',
      phase: 'controlling',
      control_state: 'controlled',
      restore_required: false,
      target_soc_percent: 80,
      max_power_w: 4000,
      max_power_w_requested: 9000,
      max_power_w_clamped: true,
      valid_until: '',
      commanded_direction: 'charge',
      commanded_power_w: 4000,
      measured_direction: null,
      measured_power_w: null,
      measured_at: null,
      deviation: null,
      stop_reason: null,
      fault_code: null,
      replaced: false,
      restore_attempts: 0,
      next_restore_at: null,
    },
  )
  assert.match(started.operation_id ?? '', /^[0-9a-f]{32}$/)
  assert.deepEqual(plant.registers, {
    power_mng_soc_strategy: 2,
    power_mng_soc_target_set: Math.fround(0.8),
    power_mng_battery_power_extern: -4000,
    power_mng_use_grid_power_enable: true,
  })
  assert.deepEqual(service.read('a'), started)
  assert.equal(service.activeOperation('a')?.id, started.operation_id)
  const from = plant.writes.length
  const stopped = await service.stop('a')
  assert.equal(stopped.state, 'idle')
  assert.equal(stopped.stop_reason, 'operator_cancelled')
  assert.equal(stopped.control_state, 'restored')
  assert.deepEqual(plant.registers, before)
  assert.deepEqual(
    plant.writes.slice(from).map(({ name, value, cause }) => [name, value, cause?.cause]),
    [
      ['power_mng_battery_power_extern', 0, 'restore'],
      ['power_mng_battery_power_extern', 123.5, 'restore'],
      ['power_mng_use_grid_power_enable', false, 'restore'],
      ['power_mng_soc_target_set', 0.5, 'restore'],
      ['power_mng_soc_strategy', 4, 'restore'],
    ],
  )
  await assert.rejects(service.stop('a'), { code: 'dispatch_not_found' })
  assert.deepEqual(
    fixture.ended.map(({ stopReason }) => stopReason),
    ['operator_cancelled'],
  )
  const states = new Set<string>(fixture.events.map(({ dispatch }) => dispatch.state))
  for (const state of ['precheck', 'applying', 'charging', 'restoring', 'idle']) assert.ok(states.has(state))
})

test('holding sets the battery power to zero and does not change the target', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const started = await service.submit('a', fixture.request('hold'), submitter)
  assert.equal(started.state, 'holding')
  assert.equal(started.max_power_w, null)
  assert.deepEqual(fixture.plant.registers, {
    power_mng_soc_strategy: 2,
    power_mng_soc_target_set: 0.5,
    power_mng_battery_power_extern: 0,
    power_mng_use_grid_power_enable: false,
  })
})

test('a device with the opposite sign convention is written in its own sign and unit', async () => {
  await using fixture = new DispatchFixture()
  fixture.capabilities = capabilitiesWithout().map((record) =>
    record.name === 'battery_power_sign_convention'
      ? Object.assign({}, record, { battery_discharge_positive: false })
      : record.name === 'write_path_convention'
        ? Object.assign({}, record, { soc_target_unit: 'percent' })
        : record,
  )
  const service = await fixture.start()
  const started = await service.submit('a', fixture.request('charge_from_grid'), submitter)
  assert.equal(fixture.plant.registers['power_mng_battery_power_extern'], 3000)
  assert.equal(fixture.plant.registers['power_mng_soc_target_set'], 80)
  assert.equal(started.commanded_direction, 'charge')
})

test('errors are reported in a fixed order before anything is sent to the device', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const bad = fixture.request('charge_from_grid', {
    mode: 'export_to_grid',
    valid_until: fixture.inSeconds(-1),
    target_soc_percent: 96,
    expected_operation_id: 'x',
  })
  fixture.device.maxChargePowerW = null
  fixture.approved.delete('power_mng_soc_strategy')
  fixture.capabilities = capabilitiesWithout('write_path_convention')
  const refusal = async () => {
    const error: unknown = await service.submit('a', bad, submitter).catch((error: unknown) => error)
    assert.ok(error instanceof Problem, String(error))
    await assert.rejects(service.preview('a', bad), { code: error.code })
    return error
  }
  const codes: string[] = []
  const fixes: (() => void)[] = [
    () => (bad.mode = 'charge_from_grid'),
    () => (bad.valid_until = fixture.inSeconds(3600)),
    () => (bad.target_soc_percent = 95),
    () => (fixture.device.maxChargePowerW = 4000),
    () => fixture.approved.add('power_mng_soc_strategy'),
    () => (fixture.capabilities = capabilitiesWithout()),
    () => undefined,
  ]
  for (const fix of fixes) {
    const error = await refusal()
    codes.push(error.code)
    if (error.code === 'write_not_allowed') assert.match(error.message, /power_mng_soc_strategy/)
    if (error.code === 'dispatch_unverified') {
      assert.match(error.message, /write_path_convention/)
      assert.deepEqual(error.facts.members?.['missing_capabilities'], ['write_path_convention'])
    }
    fix()
  }
  assert.deepEqual(codes, [
    'dispatch_mode_unavailable',
    'value_out_of_range',
    'value_out_of_range',
    'dispatch_limits_missing',
    'write_not_allowed',
    'dispatch_unverified',
    'dispatch_operation_conflict',
  ])
  assert.deepEqual(fixture.plant.accesses, [])
  await assert.rejects(service.submit('nobody', bad, submitter), { code: 'unknown_device' })
})

test('invalid bodies are refused by the schema', () => {
  const good = {
    mode: 'charge_from_grid',
    target_soc_percent: 80,
    max_power_w: 1000,
    valid_until: '2027-01-01T00:00:00+01:00',
  }
  const hold = { mode: 'hold', valid_until: good.valid_until }
  assert.ok(DispatchRequest.safeParse(good).success)
  assert.ok(DispatchRequest.safeParse(hold).success)
  assert.ok(DispatchRequest.safeParse({ ...hold, max_power_w: 0 }).success)
  for (const body of [
    { ...good, extra: 1 },
    { ...good, valid_until: '2027-01-01T00:00:00' },
    { ...good, valid_until: undefined },
    { ...good, target_soc_percent: undefined },
    { ...good, max_power_w: undefined },
    { ...good, max_power_w: 0 },
    { ...good, max_power_w: -1 },
    { ...good, max_power_w: 50_001 },
    { ...good, max_power_w: Number.NaN },
    { ...hold, max_power_w: 1 },
    { ...hold, target_soc_percent: 50 },
  ])
    assert.equal(DispatchRequest.safeParse(body).success, false, JSON.stringify(body))
})

test('engineering mode allows writes for half an hour, but not without the strategy code', async () => {
  await using fixture = new DispatchFixture()
  fixture.device.engineeringMode = true
  fixture.capabilities = capabilitiesWithout('write_path_convention', 'battery_power_sign_convention')
  const service = await fixture.start()
  const begun = fixture.timers.now()
  const started = await service.submit(
    'a',
    fixture.request('hold', { valid_until: fixture.inSeconds(86_400) }),
    submitter,
  )
  const lifetime = Date.parse(started.valid_until ?? '') - begun
  assert.ok(lifetime >= 1_800_000 && lifetime < 1_860_000, String(lifetime))
  await service.stop('a')
  fixture.capabilities = fixture.capabilities.map((record) =>
    Object.assign({}, record, { soc_strategy_external_code: null }),
  )
  await assert.rejects(service.submit('a', fixture.request('hold'), submitter), {
    code: 'dispatch_unverified',
    message: /write_path/,
  })
})

test('an operation lasts six hours at most', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const begun = fixture.timers.now()
  const started = await service.submit(
    'a',
    fixture.request('hold', { valid_until: fixture.inSeconds(86_400) }),
    submitter,
  )
  const lifetime = Date.parse(started.valid_until ?? '') - begun
  assert.ok(lifetime >= 21_600_000 && lifetime < 21_660_000, String(lifetime))
})

test('repeating a command changes nothing; another command replaces it and keeps the original settings', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const { plant } = fixture
  const before = { ...plant.registers }
  const request = fixture.request('charge_from_grid')
  const first = await service.submit('a', request, submitter)
  plant.accesses.length = 0
  assert.deepEqual(await service.submit('a', request, submitter), first)
  assert.deepEqual(plant.accesses, [])
  const swap = (id: string | null) => ({ ...fixture.request('discharge_to_load'), expected_operation_id: id ?? '' })
  await assert.rejects(service.submit('a', swap('0'.repeat(32)), submitter), { code: 'dispatch_operation_conflict' })
  const second = await service.submit('a', swap(first.operation_id), submitter)
  assert.equal(second.replaced, true)
  assert.equal(second.state, 'discharging')
  assert.notEqual(second.operation_id, first.operation_id)
  assert.equal(plant.registers['power_mng_use_grid_power_enable'], false)
  // The grid fed house and battery; only the house is a load to follow.
  assert.equal(second.commanded_power_w, 1400)
  assert.ok(plant.writes.every(({ cause }) => cause?.cause === 'dispatch'))
  await service.stop('a')
  assert.deepEqual(plant.registers, before)
})

test('a target that is already met causes no write', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  fixture.plant.soc = Math.fround(0.8)
  const answer = await service.submit('a', fixture.request('charge_from_grid'), submitter)
  assert.equal(answer.state, 'idle')
  assert.equal(answer.stop_reason, 'target_reached')
  assert.deepEqual(fixture.plant.writes, [])
  // With something active, that ends first.
  const before = { ...fixture.plant.registers }
  await service.submit('a', fixture.request('hold'), submitter)
  const replaced = await service.submit('a', fixture.request('charge_from_grid'), submitter)
  assert.equal(replaced.stop_reason, 'target_reached')
  assert.deepEqual(fixture.plant.registers, before)
})

test('a preview lists the writes without sending them', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  fixture.plant.batteryStatus = 0x800 | 0x8
  const request = fixture.request('charge_from_grid', { max_power_w: 9000, valid_until: fixture.inSeconds(86_400) })
  const preview = await service.preview('a', request)
  assert.deepEqual(DispatchPreview.parse(preview), preview)
  assert.equal(preview.outcome, 'start')
  assert.equal(preview.max_power_w_clamped, true)
  assert.equal(preview.valid_until_clamped, true)
  assert.deepEqual(preview.changes, [
    { name: 'power_mng_soc_strategy', from: 4, to: 2 },
    { name: 'power_mng_soc_target_set', from: 0.5, to: 0.8 },
    { name: 'power_mng_use_grid_power_enable', from: false, to: true },
    { name: 'power_mng_battery_power_extern', from: 123.5, to: -4000 },
  ])
  assert.deepEqual(preview.restores.at(-1), { name: 'power_mng_soc_strategy', to: 4 })
  assert.deepEqual(
    preview.warnings.map(({ code }) => code),
    ['battery_calibrating', 'battery_balancing'],
  )
  assert.deepEqual(fixture.plant.writes, [])
  assert.equal(service.read('a').state, 'idle')
  await service.submit('a', request, submitter)
  const count = fixture.plant.writes.length
  assert.equal((await service.preview('a', request)).outcome, 'unchanged')
  const replacing = await service.preview('a', fixture.request('hold'))
  assert.equal(replacing.outcome, 'replace')
  assert.deepEqual(replacing.restores.at(-1), { name: 'power_mng_soc_strategy', to: 4 })
  fixture.plant.soc = 0.9
  assert.equal((await service.preview('a', fixture.request('charge_from_grid'))).outcome, 'target_reached')
  assert.equal(fixture.plant.writes.length, count)
})

test('concurrent starts and a start during a stop never interleave their writes', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const before = { ...fixture.plant.registers }
  const both = await Promise.allSettled([
    service.submit('a', fixture.request('charge_from_grid'), submitter),
    service.submit('a', fixture.request('hold', { expected_operation_id: 'f'.repeat(32) }), submitter),
    service.submit('a', fixture.request('discharge_to_load'), submitter),
  ])
  assert.deepEqual(
    both.map((one) => (one.status === 'fulfilled' ? one.value.state : (one.reason as Problem).code)),
    ['charging', 'dispatch_operation_conflict', 'discharging'],
  )
  const ending = service.stop('a')
  await eventually(
    () => service.activeOperation('a')?.state,
    (state) => state === 'restoring',
    quick,
  )
  await assert.rejects(service.submit('a', fixture.request('hold'), submitter), { code: 'dispatch_restore_required' })
  assert.equal((await ending).state, 'idle')
  const twice = await Promise.all([
    service.submit('a', fixture.request('hold'), submitter).then(({ state }) => state),
    service.submit('a', fixture.request('charge_from_grid'), submitter).then(() => service.stop('a')),
  ])
  assert.equal(twice[1].state, 'idle')
  assert.equal(fixture.plant.maxConcurrent, 1)
  assert.deepEqual(fixture.plant.registers, before)
})

test('two concurrent stops both report the end', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  await service.submit('a', fixture.request('hold'), submitter)
  const answers = await Promise.all([service.stop('a'), service.stop('a')])
  assert.deepEqual(
    answers.map(({ state }) => state),
    ['idle', 'idle'],
  )
})

test('a stop does not wait for a start to finish', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const before = { ...fixture.plant.registers }
  const starting = service.submit('a', fixture.request('charge_from_grid'), submitter)
  await eventually(
    () => fixture.plant.writes.length,
    (count) => count >= 1,
    quick,
  )
  const [started, stopped] = await Promise.allSettled([starting, service.stop('a')])
  assert.equal(started.status === 'rejected' && (started.reason as Problem).code, 'dispatch_operation_conflict')
  assert.equal(stopped.status === 'fulfilled' && stopped.value.state, 'idle')
  assert.equal(stopped.status === 'fulfilled' && stopped.value.stop_reason, 'operator_cancelled')
  assert.ok(fixture.plant.writes.filter(({ cause }) => cause?.cause === 'dispatch').length < 4)
  assert.deepEqual(fixture.plant.registers, before)
})

test('the queue of requests for a device is bounded', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const many = await Promise.allSettled(
    Array.from({ length: 20 }, () => service.preview('a', fixture.request('charge_from_grid'))),
  )
  const refused = many.filter((one) => one.status === 'rejected')
  assert.ok(refused.length >= 10)
  for (const one of refused) assert.equal((one.reason as Problem).code, 'queue_full')
})

test('settings that an operation depends on cannot change while it runs', async () => {
  await using fixture = new DispatchFixture()
  const service = await fixture.start()
  const started = await service.submit('a', fixture.request('hold'), submitter)
  const change = () => Promise.resolve('changed')
  const conflict = (error: unknown) => {
    assert.ok(error instanceof Problem)
    assert.equal(error.code, 'dispatch_capability_conflict')
    assert.deepEqual(error.facts.members, { operation_id: started.operation_id, mode: 'hold' })
    return true
  }
  await assert.rejects(service.guarded('a', change, ['write_path_convention']), conflict)
  await assert.rejects(service.guarded('a', change), conflict)
  assert.equal(await service.guarded('a', change, ['grid_power_sign_convention']), 'changed')
  assert.equal(await service.guarded('b', change), 'changed')
  await service.stop('a')
  assert.equal(await service.guarded('a', change), 'changed')
})
