import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { WireValue } from '../src/protocol/wire-value.ts'
import {
  dispatchOf,
  handingBack,
  journalOf,
  onWrite,
  ownSettings,
  reaches,
  register,
  registersOf,
  start,
  startWithBattery,
  stop,
  writesOf,
  type Mode,
  type SeenWrite,
} from './battery.ts'
import { catalog, type TestGateway } from './in-process.ts'

const pairs = (writes: readonly SeenWrite[]): [string, WireValue][] => writes.map(({ name, value }) => [name, value])

/** Writes of a start, in order; the setpoint of a discharge depends on the house. */
const applying: Record<Mode, readonly (readonly [string, WireValue])[]> = {
  charge_from_grid: [
    [register.strategy, 2],
    [register.target, Math.fround(0.9)],
    [register.gridCharge, true],
    [register.setpoint, -2000],
  ],
  discharge_to_load: [
    [register.strategy, 2],
    [register.target, Math.fround(0.2)],
    [register.gridCharge, false],
    [register.setpoint, 1500],
  ],
  hold: [
    [register.strategy, 2],
    [register.gridCharge, false],
    [register.setpoint, 0],
  ],
}

test('37 a start that cannot read one of the four settings writes nothing and asks to retry', async () => {
  await using gateway = await startWithBattery()
  for (const name of catalog.roles.dispatchRegisters) {
    gateway.inverter.setFaults({ silentFor: [name], payloads: {} })
    const reply = await start(gateway, 'charge_from_grid')
    assert.deepEqual([reply.status, reply.body.code], [503, 'dispatch_snapshot_stale'], reply.text)
    assert.match(reply.body.detail, new RegExp(name))
    assert.ok(Number(reply.headers['retry-after']) > 0)
    const { state, stop_reason: reason } = await dispatchOf(gateway)
    assert.deepEqual([state, reason], ['idle', 'snapshot_stale'])
  }
  gateway.inverter.setFaults({ silentFor: [], payloads: { [register.setpoint]: '7fc00000' } })
  assert.equal((await start(gateway, 'charge_from_grid')).body.code, 'dispatch_snapshot_stale')
  assert.deepEqual(writesOf(gateway.inverter), [])
  assert.deepEqual(await journalOf(gateway), [])
  gateway.inverter.clearFaults()
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
})

for (const mode of ['charge_from_grid', 'discharge_to_load', 'hold'] as const)
  test(`38 a failed write at any step of ${mode} is undone in order and reported`, async () => {
    await using gateway = await startWithBattery()
    // The load equals the power that the battery has to supply.
    gateway.inverter.setFaults({ values: { grid_power: 1600, battery_power: 0 } })
    let lost = Infinity
    onWrite(gateway.inverter, (name, count) => {
      // A value that is there already reads as written, so this one cannot be read either, until something else is written.
      gateway.inverter.setFaults({ silentFor: count === lost ? [name] : [] })
      return count === lost ? 'lose' : undefined
    })
    for (const [index] of applying[mode].entries()) {
      const before = writesOf(gateway.inverter).length
      lost = before + index + 1
      const reply = await start(gateway, mode)
      assert.deepEqual([reply.status, reply.body.code], [502, 'write_outcome_unknown'], reply.text)
      const written = writesOf(gateway.inverter).slice(before)
      assert.deepEqual(pairs(written), [...applying[mode].slice(0, index + 1), ...handingBack])
      assert.deepEqual(registersOf(gateway.inverter), ownSettings)
      const { state, stop_reason: reason, fault_code: code, restore_required: required } = await dispatchOf(gateway)
      assert.deepEqual([state, reason, code, required], ['idle', 'device_error', 'write_outcome_unknown', false])
    }
    lost = Infinity
    assert.equal((await start(gateway, mode)).status, 200)
    assert.deepEqual(pairs(writesOf(gateway.inverter).slice(-applying[mode].length)), applying[mode])
  })

for (const name of ['grid_power', 'battery_power', 'battery_soc'])
  test(`38 a start that cannot read ${name} before its setpoint is undone in order and reported`, async () => {
    await using gateway = await startWithBattery()
    onWrite(gateway.inverter, (_name, count) => {
      if (count === 1) gateway.inverter.setFaults({ silentFor: [name] })
      return undefined
    })
    const reply = await start(gateway, 'discharge_to_load')
    assert.deepEqual([reply.status, reply.body.code], [502, 'device_timeout'], reply.text)
    await reaches(gateway, 'idle')
    assert.deepEqual(pairs(writesOf(gateway.inverter)), [...applying.discharge_to_load.slice(0, 3), ...handingBack])
    assert.deepEqual(registersOf(gateway.inverter), ownSettings)
  })

test('38 a failed write at any step of a replacement restores the settings from before the first operation', async () => {
  await using gateway = await startWithBattery()
  let lost = Infinity
  onWrite(gateway.inverter, (_name, count) => (count === lost ? 'lose' : undefined))
  // What is written again with the value it has reads as written even when it is lost.
  for (const index of [1, 3]) {
    assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
    lost = writesOf(gateway.inverter).length + index + 1
    const reply = await start(gateway, 'charge_from_grid', { target_soc_percent: 80, max_power_w: 1000 })
    assert.deepEqual([reply.status, reply.body.code], [502, 'write_outcome_unknown'], reply.text)
    assert.deepEqual(pairs(writesOf(gateway.inverter).slice(-5)), handingBack)
    assert.deepEqual(registersOf(gateway.inverter), ownSettings)
    assert.equal((await dispatchOf(gateway)).state, 'idle')
  }
})

/** Sets the power at the grid meter, watts, while the battery follows its setpoint. */
function setGrid({ inverter }: TestGateway, grid: number): void {
  inverter.setFaults({ values: { grid_power: grid } })
}

for (const [flow, grid] of [
  ['a lot', -1200],
  ['a little', -20],
] as const)
  test(`43 an export of ${flow} while discharging lowers the setpoint in the next round, however recent the last write`, async () => {
    await using gateway = await startWithBattery()
    setGrid(gateway, 1500)
    const begun = await start(gateway, 'discharge_to_load')
    const before = begun.body.commanded_power_w
    assert.ok(before > 1000, begun.text)
    setGrid(gateway, grid)
    const flipped = gateway.timers.monotonic()
    const cut = await eventually(
      () => writesOf(gateway.inverter).at(-1) as SeenWrite,
      ({ name, value }) => name === register.setpoint && Number(value) < before,
      { everyMs: 5 },
    )
    // A round runs every 5 s; the rest is tolerance for a busy machine.
    assert.ok(cut.at - flipped < 9000, String(cut.at - flipped))
    assert.equal(cut.value, Math.max(0, before + grid - 100))
    const written = writesOf(gateway.inverter).map(({ value }) => Number(value))
    assert.ok(written.every((value) => value >= 0))
  })

test('44 an operation ends when the state of charge jumps past its target', async () => {
  await using gateway = await startWithBattery()
  for (const [mode, soc] of [
    ['charge_from_grid', 0.97],
    ['discharge_to_load', 0.1],
  ] as const) {
    gateway.inverter.setSoc(0.5)
    assert.equal((await start(gateway, mode)).status, 200)
    gateway.inverter.setSoc(soc)
    assert.equal((await reaches(gateway, 'idle')).stop_reason, 'target_reached')
    assert.deepEqual(registersOf(gateway.inverter), ownSettings)
    const written = writesOf(gateway.inverter).length
    const again = await start(gateway, mode)
    assert.deepEqual([again.status, again.body.state, again.body.stop_reason], [200, 'idle', 'target_reached'])
    assert.equal(writesOf(gateway.inverter).length, written)
  }
})

test('44 a state of charge of 170 percent ends a running operation and refuses a new one', async () => {
  await using gateway = await startWithBattery()
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
  gateway.inverter.setFaults({ values: { battery_soc: 1.7 } })
  const { stop_reason: reason, fault_code: code } = await reaches(gateway, 'idle')
  assert.deepEqual([reason, code], ['device_error', 'protocol_error'])
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
  const written = writesOf(gateway.inverter).length
  const reply = await start(gateway, 'charge_from_grid')
  assert.deepEqual([reply.status, reply.body.code], [502, 'protocol_error'])
  assert.equal(writesOf(gateway.inverter).length, written)
})

test('44 a grid meter that stops answering ends the operation', async () => {
  await using gateway = await startWithBattery()
  assert.equal((await start(gateway, 'discharge_to_load')).status, 200)
  gateway.inverter.setFaults({ silentFor: ['grid_power'] })
  const { stop_reason: reason, fault_code: code } = await reaches(gateway, 'idle')
  assert.deepEqual([reason, code], ['telemetry_stale', 'device_timeout'])
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})

test('44 readings that do not change after a new setpoint end the operation', async () => {
  await using gateway = await startWithBattery()
  gateway.inverter.setFaults({ frozenPlant: true })
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
  const begun = gateway.timers.monotonic()
  assert.equal((await reaches(gateway, 'idle')).stop_reason, 'telemetry_stale')
  assert.ok(gateway.timers.monotonic() - begun > 25_000)
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})

test('42 a clock that jumps a day ahead ends the operation; one that jumps a day back does not extend it', async () => {
  await using gateway = await startWithBattery()
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
  gateway.timers.jump(86_400_000)
  assert.equal((await reaches(gateway, 'idle')).stop_reason, 'ttl_expired')
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
  const begun = gateway.timers.monotonic()
  const validUntil = new Date(gateway.timers.now() + 60_000).toISOString()
  assert.equal((await start(gateway, 'hold', { valid_until: validUntil })).status, 200)
  gateway.timers.jump(-86_400_000)
  assert.equal((await reaches(gateway, 'idle')).stop_reason, 'ttl_expired')
  const lasted = gateway.timers.monotonic() - begun
  assert.ok(lasted > 55_000 && lasted < 80_000, String(lasted))
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})

test('42 a clock jump does not interrupt a restore', async () => {
  await using gateway = await startWithBattery()
  for (const day of [86_400_000, -86_400_000]) {
    assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
    gateway.inverter.setFaults({ stuck: [register.target] })
    assert.equal((await stop(gateway)).body.state, 'fault_restore_pending')
    gateway.timers.jump(day)
    gateway.inverter.clearFaults()
    await reaches(gateway, 'idle', 5)
    assert.deepEqual(registersOf(gateway.inverter), ownSettings)
  }
})
