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
  measuredW: watts,
  limitW: constantFrom(null),
  sharing: integer({ min: 1, max: 4 }),
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
        assert.ok(shouldWrite({ commandedW, wantedW, gridW: input.gridW, limitW: null, sinceWriteMs, refreshMs: null }))
    }),
  )
})

test('a change within the deadband or the write interval is not sent', () => {
  const importing = { gridW: 500, limitW: null, refreshMs: null }
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
  const same = { commandedW: -2000, wantedW: -2000, gridW: 2000, limitW: null }
  assert.equal(shouldWrite({ ...same, sinceWriteMs: 30_000, refreshMs: 30_000 }), true)
  assert.equal(shouldWrite({ ...same, sinceWriteMs: 29_999, refreshMs: 30_000 }), false)
})

test('charging is constant and holding is zero, whatever the grid does, without a limit', () => {
  assertProperty(
    property(integer({ min: 1, max: 50_000 }), watts, watts, (maxPowerW, commandedW, gridW) => {
      const site = { measuredW: commandedW, limitW: null, sharing: 1 }
      assert.equal(nextSetpoint({ mode: 'charge_from_grid', maxPowerW, commandedW, gridW, ...site }), -maxPowerW)
      assert.equal(nextSetpoint({ mode: 'hold', maxPowerW: 0, commandedW, gridW, ...site }), 0)
    }),
  )
})

const charging = record({
  mode: constantFrom('charge_from_grid' as const),
  maxPowerW: double({ min: 1, max: 50_000, noNaN: true }),
  commandedW: double({ min: -50_000, max: 0, noNaN: true }),
  gridW: watts,
  measuredW: watts,
  limitW: double({ min: 100, max: 50_000, noNaN: true }),
  sharing: integer({ min: 1, max: 4 }),
})

test('a charge never takes more than the limit of the grid connection leaves, and never discharges', () => {
  assertProperty(
    property(charging, (input) => {
      const { gridW, measuredW, limitW, maxPowerW } = input
      const next = nextSetpoint(input)
      assert.ok(next <= 0 && next >= -maxPowerW && !Object.is(next, -0))
      const gridAfter = gridW + measuredW - next
      assert.ok(next === 0 || gridAfter <= limitW, `${gridAfter} W from the grid`)
    }),
  )
})

test('a charge above the limit is cut whatever the size of the cut and the age of the last write', () => {
  assertProperty(
    property(charging, double({ min: 0, max: 10_000, noNaN: true }), (input, sinceWriteMs) => {
      const { gridW, limitW, commandedW } = input
      const wantedW = nextSetpoint(input)
      if (gridW > limitW && wantedW > commandedW)
        assert.ok(shouldWrite({ commandedW, wantedW, gridW, limitW, sinceWriteMs, refreshMs: null }))
    }),
  )
})

test('a charge that the limit ended begins again only when a good deal is left, so that it does not flicker', () => {
  const site = { mode: 'charge_from_grid' as const, maxPowerW: 3000, measuredW: 0, limitW: 4000, sharing: 1 }
  assert.equal(nextSetpoint({ ...site, commandedW: 0, gridW: 3750 }), 0)
  assert.equal(nextSetpoint({ ...site, commandedW: 0, gridW: 3650 }), -250)
  assert.equal(nextSetpoint({ ...site, commandedW: -1000, measuredW: -1000, gridW: 4800 }), -100)
  assert.equal(nextSetpoint({ ...site, commandedW: -1000, measuredW: -1000, gridW: 4880 }), 0)
  // Two that share what is left take half of it each.
  assert.equal(nextSetpoint({ ...site, sharing: 2, commandedW: 0, gridW: 2900 }), -500)
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
