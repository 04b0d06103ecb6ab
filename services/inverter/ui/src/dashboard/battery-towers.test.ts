import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFlow } from '../values/energy-flow.ts'
import type { LiveValue } from '../values/live-value.ts'
import { humanize } from '../values/quantity.ts'
import { moduleFills, towersOf } from './battery-towers.ts'

const values = (readings: Record<string, number | string>) =>
  Object.fromEntries(Object.entries(readings).map(([name, value]) => [name, { name, value } as LiveValue]))

test('the text alternative of the energy flow names directions instead of signs', () => {
  assert.equal(
    describeFlow({ solar: 3200, house: 700, battery: -2000, grid: -500, soc: 0.64 }),
    'Energy flow: solar 3.20 kW, house uses 700 W, battery charges 2.00 kW, 500 W to the grid, battery at 64 %',
  )
  assert.match(
    describeFlow({ solar: undefined, house: 1, battery: 0, grid: 3, soc: undefined }),
    /solar power unknown.*battery idle, no grid exchange$/,
  )
})

test('modules are counted by serial number, and a second tower appears when it has modules', () => {
  const [only, ...none] = towersOf(
    values({ battery_module_sn_0: 'A', battery_module_sn_1: 'B', battery_module_sn_2: '' }),
  )
  assert.deepEqual([only?.modules, none.length], [2, 0])
  const two = towersOf(values({ battery_module_sn_0: 'A', battery_placeholder_0_module_sn_0: 'C', battery_soc: 0.5 }))
  assert.deepEqual(
    two.map(({ name, soc }) => [name, soc]),
    [
      ['Tower 1', 0.5],
      ['Tower 2', undefined],
    ],
  )
})

test('a tower fills from the bottom', () => {
  assert.deepEqual(moduleFills(0.5, 4), [0, 0, 1, 1])
  assert.deepEqual(moduleFills(0.625, 4), [0, 0.5, 1, 1])
  assert.deepEqual(moduleFills(undefined, 0), [0])
  assert.deepEqual(moduleFills(2, 2), [1, 1])
})

test('device identifiers are shown as readable text', () => {
  assert.equal(humanize('calibration_high'), 'Calibration high')
})
