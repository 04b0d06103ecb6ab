import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSign, type PowerSample } from './balance.ts'

const five = (sample: PowerSample) => Array.from({ length: 5 }, () => sample)
const battery = (sample: PowerSample) => findSign('battery_power_sign_convention', five(sample))
const grid = (sample: PowerSample) => findSign('grid_power_sign_convention', five(sample))

test('the sign of the battery follows from what the house uses, whatever the sign of the grid', () => {
  const discharging = { solar: 0, load: 1000, grid: 200, battery: 780 }
  assert.deepEqual(battery(discharging).evidence, { battery_discharge_positive: true })
  assert.deepEqual(battery({ ...discharging, battery: -780 }).evidence, { battery_discharge_positive: false })
  assert.deepEqual(battery({ ...discharging, grid: -200, battery: -780 }).evidence, {
    battery_discharge_positive: false,
  })
  assert.deepEqual(battery({ solar: 3000, load: 500, grid: -500, battery: -2000 }).evidence, {
    battery_discharge_positive: true,
  })
})

test('the sign of the grid follows in the same way', () => {
  assert.deepEqual(grid({ solar: 0, load: 2500, grid: 2500, battery: 0 }).evidence, { grid_import_positive: true })
  assert.deepEqual(grid({ solar: 0, load: 2500, grid: -2500, battery: 0 }).evidence, { grid_import_positive: false })
  assert.deepEqual(grid({ solar: 4000, load: 400, grid: -3500, battery: -100 }).evidence, {
    grid_import_positive: true,
  })
})

test('a power that is too small or a balance that fits neither sign or both tells nothing', () => {
  assert.equal(battery({ solar: 0, load: 1000, grid: 950, battery: 40 }).outcome, 'inconclusive')
  assert.equal(battery({ solar: 0, load: 9000, grid: 200, battery: 780 }).outcome, 'inconclusive')
  // Charging from the grid and discharging into it look the same here.
  assert.equal(battery({ solar: 0, load: 0, grid: 800, battery: 800 }).outcome, 'inconclusive')
  const mixed = [
    ...five({ solar: 0, load: 1000, grid: 0, battery: 1000 }),
    ...five({ solar: 0, load: 1000, grid: 0, battery: -1000 }),
  ]
  assert.equal(findSign('battery_power_sign_convention', mixed).outcome, 'inconclusive')
})
