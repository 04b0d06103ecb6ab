import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import {
  assertCounters,
  assertRead,
  countersOf,
  isConnected,
  noDamage,
  readFresh,
  recovers,
  requestsFor,
  rightValue,
  readinessKey,
  startFaulty,
} from './faulty-line.ts'
import { main } from './in-process.ts'

test('6 a flipped bit anywhere in an answer never yields a wrong value', async () => {
  await using gateway = await startFaulty({}, { speed: 50 })
  let damaged = 0
  // The separator, the start byte, command, length, id, value and checksum of `002b0508…`, each at two bits.
  for (let flipBit = 0; flipBit < 14 * 8; flipBit += flipBit % 8 === 0 ? 5 : 3) {
    gateway.inverter.setFaults({ flipBit })
    const { status, body } = await readFresh(gateway, 'battery_voltage')
    const isRight = body.value === rightValue(gateway, 'battery_voltage')
    assert.ok(status === 502 || (status === 200 && isRight), `bit ${flipBit}: ${status} ${JSON.stringify(body)}`)
    if (status === 502 || body.stale) damaged += 1
    gateway.inverter.setFaults({ flipBit: -1 })
    await recovers(gateway)
  }
  // All but those of the separator, which belongs to no frame.
  assert.ok(damaged >= 26, String(damaged))
  const { crc_errors: wrong } = await countersOf(gateway)
  assert.ok(wrong > 20, String(wrong))
})

test('6 a read with a damaged answer is repeated, and damaged values are never cached', async () => {
  await using gateway = await startFaulty({ flipShare: 0.3 }, { speed: 20 })
  const names = ['battery_soc', 'battery_voltage', 'grid_power', 'ac_power', 'battery_current']
  for (let round = 0; round < 8; round += 1)
    for (const name of names) {
      await isConnected(gateway)
      const { status, body } = await readFresh(gateway, name)
      if (status === 200) assert.equal(body.value, rightValue(gateway, name), name)
      else assert.equal(status, 502)
      const cached = await gateway.call('GET', main(`/metrics/${name}`))
      if (cached.status === 200) assert.equal(cached.body.value, rightValue(gateway, name), name)
    }
  gateway.inverter.clearFaults()
  const { crc_errors: wrong, framing_errors: broken } = await countersOf(gateway)
  assert.ok(wrong + broken > 5)
  const asked = names.reduce((sum, name) => sum + requestsFor(gateway, name), 0)
  assert.ok(asked > 8 * names.length, `${asked} requests`)
})

test('6 a value whose answers are all damaged is an error, or the cached value marked as stale', async () => {
  await using gateway = await startFaulty({}, { speed: 20 })
  await assertRead(gateway, 'battery_soc')
  gateway.inverter.setFaults({ flipBit: 8 * 9 })
  const unknown = await readFresh(gateway, 'battery_voltage')
  assert.deepEqual([unknown.status, unknown.body.code], [502, 'protocol_error'])
  assert.equal(requestsFor(gateway, 'battery_voltage'), 3)
  const old = await readFresh(gateway, 'battery_soc')
  assert.deepEqual(
    [old.status, old.body.value, old.body.stale, old.body.stale_reason, old.body.source, old.body.freshness],
    [200, rightValue(gateway, 'battery_soc'), true, 'protocol_error', 'cache', 'cached'],
  )
  await assertCounters(gateway, { crc_errors: 6, framing_errors: 0, connection_epoch: 1 })
})

test('7 an answer that does not fit the value’s type is refused and not cached', async () => {
  await using gateway = await startFaulty({})
  await assertRead(gateway, 'grid_power')
  for (const wrong of ['3f00', '3f00000000', '', '7fc00000', '7f800000', 'ff800000']) {
    gateway.inverter.setFaults({ payloads: { battery_voltage: wrong, grid_power: wrong } })
    const { status, body } = await readFresh(gateway, 'battery_voltage')
    assert.deepEqual([status, body.code], [502, 'protocol_error'], wrong)
    const old = await readFresh(gateway, 'grid_power')
    assert.deepEqual(
      [old.status, old.body.value, old.body.stale, old.body.stale_reason],
      [200, rightValue(gateway, 'grid_power'), true, 'protocol_error'],
    )
    const cached = await gateway.call('GET', main('/metrics/battery_voltage'))
    assert.equal(cached.status, 502)
  }
  gateway.inverter.setFaults({ payloads: {} })
  await assertRead(gateway, 'battery_voltage')
  await assertCounters(gateway, { ...noDamage, discarded_bytes: 0, connection_epoch: 1 })
})

test('7 an unknown enum code is a number without a label, and any byte other than zero is true', async () => {
  await using gateway = await startFaulty({ payloads: { inverter_state: 'c8', power_mng_use_grid_power_enable: '02' } })
  const state = await readFresh(gateway, 'inverter_state')
  assert.deepEqual(
    [state.status, state.body.value, state.body.enum_value, state.body.enum_label],
    [200, 200, 200, null],
  )
  const enabled = await readFresh(gateway, 'power_mng_use_grid_power_enable')
  assert.deepEqual([enabled.status, enabled.body.value], [200, true])
})

test('7 a batch lists an invalid value as an error and returns the others', async () => {
  await using gateway = await startFaulty({ payloads: { battery_voltage: '00' } })
  const { status, body } = await gateway.call(
    'GET',
    main('/metrics?names=battery_soc,battery_voltage,grid_power&fresh=true'),
  )
  assert.equal(status, 200)
  assert.deepEqual(
    body.metrics.map(({ name, value }: { name: string; value: unknown }) => [name, value]),
    ['battery_soc', 'grid_power'].map((name) => [name, rightValue(gateway, name)]),
  )
  assert.deepEqual(
    body.errors.map(({ name, code }: Record<string, string>) => [name, code]),
    [['battery_voltage', 'protocol_error']],
  )
})

test('14 answers to other clients are counted and never taken for the requested answer', async () => {
  await using gateway = await startFaulty({}, { speed: 20 })
  for (const foreignReplies of [1, 2, 5, 20]) {
    gateway.inverter.setFaults({ foreignReplies })
    const before = (await countersOf(gateway)).unexpected_frames
    for (const name of ['battery_voltage', 'inverter_state']) await assertRead(gateway, name)
    await assertCounters(gateway, { unexpected_frames: before + 2 * foreignReplies, connection_epoch: 1, ...noDamage })
  }
})

test('14 ten unexpected frames within a minute raise the suspicion of foreign access, which later ends', async () => {
  await using gateway = await startFaulty({ foreignReplies: 3 }, { speed: 25 })
  for (let count = 0; count < 3; count += 1) await assertRead(gateway, 'battery_voltage')
  assert.equal((await readinessKey(gateway)).foreign_access_suspected, false)
  await assertRead(gateway, 'battery_voltage')
  const { ready, foreign_access_suspected: isSuspected } = await readinessKey(gateway)
  assert.deepEqual([ready, isSuspected], [true, true])
  gateway.inverter.setFaults({ foreignReplies: 0 })
  await assertRead(gateway, 'battery_soc')
  const begin = gateway.timers.monotonic()
  await eventually(
    () => readinessKey(gateway),
    (standing) => !standing.foreign_access_suspected,
    { what: 'no suspicion' },
  )
  assert.ok(gateway.timers.monotonic() - begin > 40_000)
})

test('15 an answer to another client about the requested object is used for that object only', async () => {
  await using gateway = await startFaulty({}, { speed: 20 })
  gateway.inverter.setFaults({ foreignSameObject: '44800000' })
  const { status, body } = await readFresh(gateway, 'battery_voltage')
  assert.deepEqual([status, body.value], [200, 1024])
  gateway.inverter.setFaults({ foreignSameObject: '' })
  for (const name of ['battery_soc', 'grid_power', 'inverter_state', 'battery_voltage']) await assertRead(gateway, name)
  await assertCounters(gateway, { unexpected_frames: 1, connection_epoch: 1, ...noDamage })
})

test('16 a late answer is not taken for the answer to the next request', async () => {
  await using gateway = await startFaulty({}, { speed: 20 })
  gateway.inverter.setFaults({ lateReplies: { battery_voltage: 9000, grid_power: 3500 } })
  const late = await readFresh(gateway, 'battery_voltage')
  assert.deepEqual([late.status, late.body.code], [502, 'device_timeout'])
  await isConnected(gateway)
  const next = await readFresh(gateway, 'grid_power')
  assert.deepEqual([next.status, next.body.value], [200, rightValue(gateway, 'grid_power')], next.text)
  await eventually(
    () => countersOf(gateway),
    ({ unexpected_frames: count }) => count === 1,
    { everyMs: 10 },
  )
  const still = await gateway.call('GET', main('/metrics/grid_power'))
  assert.equal(still.body.value, rightValue(gateway, 'grid_power'))
})
