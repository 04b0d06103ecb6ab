import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assert as assertProperty, boolean, constantFrom, double, integer, property, record } from 'fast-check'
import {
  batterySign,
  deadbandW,
  directionOf,
  gridSign,
  nextSetpoint,
  shouldWrite,
  writeIntervalMs,
} from './next-setpoint.ts'

const watts = double({ min: -60_000, max: 60_000, noNaN: true })
const situation = record({
  mode: constantFrom('discharge_to_load' as const),
  maxPowerW: double({ min: 0, max: 50_000, noNaN: true }),
  commandedW: watts,
  gridW: watts,
})

test('a setpoint that follows the load stays between zero and the maximum power', () => {
  assertProperty(
    property(situation, (input) => {
      const next = nextSetpoint(input)
      return next >= 0 && next <= input.maxPowerW && !Object.is(next, -0)
    }),
  )
})

test('discharge is not raised while exporting or within the reserve, and one step removes the whole export', () => {
  assertProperty(
    property(situation, (input) => {
      const base = Math.min(Math.max(input.commandedW, 0), input.maxPowerW)
      const next = nextSetpoint(input)
      if (input.gridW <= 100) assert.ok(next <= base)
      if (input.gridW <= 0) assert.ok(next <= Math.max(0, base + input.gridW))
    }),
  )
})

test('a lower setpoint while exporting is sent whatever its size and the age of the last write', () => {
  assertProperty(
    property(situation, double({ min: 0, max: 10_000, noNaN: true }), (input, sinceWriteMs) => {
      const commandedW = Math.min(Math.max(input.commandedW, 0), input.maxPowerW)
      const wantedW = nextSetpoint({ ...input, commandedW })
      if (input.gridW <= 0 && wantedW < commandedW)
        assert.ok(shouldWrite({ commandedW, wantedW, gridW: input.gridW, sinceWriteMs, refreshMs: null }))
    }),
  )
})

test('a change within the deadband or the write interval is not sent', () => {
  const importing = { gridW: 500, refreshMs: null }
  assert.equal(
    shouldWrite({ ...importing, commandedW: 1000, wantedW: 1000 + deadbandW, sinceWriteMs: writeIntervalMs }),
    true,
  )
  assert.equal(
    shouldWrite({ ...importing, commandedW: 1000, wantedW: 999 + deadbandW, sinceWriteMs: writeIntervalMs }),
    false,
  )
  assert.equal(shouldWrite({ ...importing, commandedW: 1000, wantedW: 2000, sinceWriteMs: writeIntervalMs - 1 }), false)
  assert.equal(shouldWrite({ ...importing, commandedW: 1000, wantedW: 0, sinceWriteMs: 0 }), true)
  assert.equal(shouldWrite({ ...importing, commandedW: 0, wantedW: 0, sinceWriteMs: 1e9 }), false)
})

test('a device that forgets its setpoint receives it again', () => {
  const same = { commandedW: -2000, wantedW: -2000, gridW: 2000 }
  assert.equal(shouldWrite({ ...same, sinceWriteMs: 30_000, refreshMs: 30_000 }), true)
  assert.equal(shouldWrite({ ...same, sinceWriteMs: 29_999, refreshMs: 30_000 }), false)
})

test('charging is constant and holding is zero, whatever the grid does', () => {
  assertProperty(
    property(integer({ min: 1, max: 50_000 }), watts, watts, (maxPowerW, commandedW, gridW) => {
      assert.equal(nextSetpoint({ mode: 'charge_from_grid', maxPowerW, commandedW, gridW }), -maxPowerW)
      assert.equal(nextSetpoint({ mode: 'hold', maxPowerW: 0, commandedW, gridW }), 0)
    }),
  )
})

test('converting a value to the other sign convention and back returns the same value', () => {
  assertProperty(
    property(watts, boolean(), boolean(), (value, batteryDischargePositive, gridImportPositive) => {
      const signs = { batteryDischargePositive, gridImportPositive }
      assert.equal(batterySign(batterySign(value, signs), signs), value)
      assert.equal(gridSign(gridSign(value, signs), signs), value)
      if (!batteryDischargePositive && value > 0) assert.equal(directionOf(batterySign(value, signs)), 'charge')
    }),
  )
})
