import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Capability } from '../api.ts'
import { batteryLabel, directionOf, flowOf, gridLabel, signsOf, stepSeconds } from './energy-flow.ts'
import { liveValue, type LiveValue, staleness } from './live-value.ts'
import { watchedMetrics } from './metric-names.ts'
import { energy, formatValue, measure, percent, power, spell } from './quantity.ts'

const value = (reading: number, more: object = {}) =>
  ({ value: reading, stale: false, stale_reason: null, age_seconds: 0, takenAt: 0, ...more }) as LiveValue

test('power and energy switch to the larger unit when they need more than three digits', () => {
  assert.deepEqual(
    [0, 84.6, 999.4, 999.6, 1240, 9994, 9996, 12_345].map((watts) => spell(power(watts))),
    ['0 W', '85 W', '999 W', '1.00 kW', '1.24 kW', '9.99 kW', '10.0 kW', '12.3 kW'],
  )
  assert.equal(spell(power(-1240)), '1.24 kW')
  assert.equal(spell(power(undefined)), '–')
  assert.deepEqual(
    [850, 12_440, 123_456].map((wh) => spell(energy(wh))),
    ['850 Wh', '12.4 kWh', '123 kWh'],
  )
  assert.equal(spell(percent(0.756)), '76 %')
  assert.equal(spell(measure(24.04, '°C', 1)), '24.0 °C')
})

test('API values are formatted with their units', () => {
  assert.equal(formatValue(0.5, 'ratio'), '50 %')
  assert.equal(formatValue(230.123_45, 'V'), '230.1 V')
  assert.equal(formatValue(1.234_56, null), '1.235')
  assert.equal(formatValue(3.4e38, null), '3.400e+38')
  assert.equal(formatValue(true, null), 'On')
  assert.equal(formatValue('', null), '(empty)')
  assert.equal(formatValue(0, 'W'), '0 W')
})

test('solar power adds both strings, and the recorded signs decide the direction of power', () => {
  const flow = flowOf({ solar_a_power: value(1200), solar_b_power: value(300), battery_power: value(-900) })
  assert.deepEqual(flow, { solar: 1500, house: undefined, battery: -900, grid: undefined, soc: undefined })
  assert.equal(directionOf(flow.battery), 'out')
  assert.equal(batteryLabel(flow.battery), 'Charging')
  assert.equal(batteryLabel(undefined), 'No value')
  const signs = signsOf([{ battery_discharge_positive: false, grid_import_positive: null } as Capability])
  assert.equal(flowOf({ battery_power: value(-900), grid_power: value(5) }, signs).battery, 900)
  assert.equal(gridLabel(800), 'Importing')
  assert.equal(gridLabel(-3), 'Balanced')
  assert.ok(stepSeconds(5000) < stepSeconds(300))
})

test('a value is stale when the server says so or when no newer one arrived in time', () => {
  const fresh = liveValue({ ...value(1), age_seconds: 5 }, 100_000)
  assert.equal(fresh.takenAt, 95_000)
  assert.equal(staleness(fresh, { now: 100_000, maxAgeSeconds: 10 }), null)
  assert.match(staleness(fresh, { now: 110_000, maxAgeSeconds: 10 }) ?? '', /no newer/)
  const stale = value(1, { stale: true, stale_reason: 'device_unreachable' })
  assert.match(staleness(stale, { now: 0, maxAgeSeconds: 10 }) ?? '', /cannot be reached/)
})

test('no page requests more than 32 metric names at once', () => {
  for (const names of watchedMetrics) assert.ok(names.length <= 32)
})
