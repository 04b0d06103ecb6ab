import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plantNow, type MeasuredPart } from './plant-now.ts'

const part: MeasuredPart = {
  device_id: 'a',
  display_name: 'A',
  sees_grid: true,
  state: 'ok',
  is_away: false,
  is_off_for_night: false,
  last_success_at: null,
  pv_w: 3000,
  battery_w: -1000,
  ac_w: 1900,
  gridW: -500,
  toldOfBattery: false,
  soc_percent: 50,
  capacity_wh: 10_000,
}
const second: MeasuredPart = {
  ...part,
  device_id: 'b',
  sees_grid: false,
  pv_w: 2000,
  battery_w: 0,
  ac_w: 1950,
  // Its own sensor measures something else, or nothing.
  gridW: 4000,
  soc_percent: 20,
  capacity_wh: 5000,
}
const gone: MeasuredPart = {
  ...second,
  is_away: true,
  state: 'unreachable',
  pv_w: null,
  battery_w: null,
  ac_w: null,
  gridW: null,
  soc_percent: null,
}

test('the house takes what the grid and all inverters give, and the grid is counted once', () => {
  const now = plantNow('House', [part, second])
  assert.deepEqual([now.grid.watts, now.grid_meter], [-500, 'a'])
  assert.deepEqual([now.pv.watts, now.battery.watts, now.house.watts], [5000, -1000, 3350])
  assert.deepEqual([now.soc_percent, now.stored_wh, now.capacity_wh], [40, 6000, 15_000])
})

test('while an inverter is away no sum is passed off as whole, and the grid is still known', () => {
  const now = plantNow('House', [part, gone])
  assert.deepEqual(now.pv, { watts: null, known_watts: 3000, inverters: 1 })
  assert.deepEqual([now.house.watts, now.soc_percent, now.stored_wh], [null, null, null])
  assert.deepEqual([now.grid.watts, now.away, now.capacity_wh], [-500, ['b'], 15_000])
})

test('of the batteries it is said what is known, and whose state of charge or content is not', () => {
  const away = plantNow('House', [part, gone])
  assert.deepEqual([away.known_soc_percent, away.known_stored_wh, away.unknown_batteries], [50, 5000, ['b']])
  const small = plantNow('House', [part, { ...second, capacity_wh: null }])
  assert.deepEqual([small.soc_percent, small.known_soc_percent, small.unknown_batteries], [null, 50, ['b']])
  const whole = plantNow('House', [part, second])
  assert.deepEqual([whole.known_soc_percent, whole.known_stored_wh, whole.unknown_batteries], [40, 6000, []])
  const never = plantNow('House', [part, { ...gone, capacity_wh: null }])
  assert.deepEqual([never.soc_percent, never.known_soc_percent, never.unknown_batteries], [null, 50, ['b']])
  const before = { ...gone, capacity_wh: null, last_success_at: '2026-11-28T07:00:00.000Z' }
  assert.equal(plantNow('House', [part, before]).soc_percent, 50, 'it has answered, and told of no battery')
  const told = plantNow('House', [part, { ...before, toldOfBattery: true }])
  assert.deepEqual([told.soc_percent, told.known_soc_percent, told.unknown_batteries], [null, 50, ['b']])
  // The state of charge of the only battery needs no content.
  const one = plantNow('House', [
    { ...part, capacity_wh: null },
    { ...second, soc_percent: 0, capacity_wh: null },
  ])
  assert.deepEqual([one.soc_percent, one.stored_wh, one.unknown_batteries], [50, null, ['a']])
})

test('an inverter that is off for the night is part of every sum with nothing, and measures no grid', () => {
  const off = { ...gone, sees_grid: true, is_away: false, is_off_for_night: true, pv_w: 0, battery_w: 0, ac_w: 0 }
  const now = plantNow('House', [
    { ...off, capacity_wh: null },
    { ...part, pv_w: 0, battery_w: 300, ac_w: 300, gridW: 700 },
  ])
  assert.deepEqual([now.pv.watts, now.battery.watts, now.house.watts], [0, 300, 1000])
  assert.deepEqual([now.grid_meter, now.away, now.soc_percent], ['a', [], 50])
})

test('another inverter that sees the grid connection measures it while the first is away', () => {
  const other = { ...second, sees_grid: true, gridW: -480 }
  const now = plantNow('House', [{ ...gone, sees_grid: true, device_id: 'a' }, other])
  assert.deepEqual([now.grid.watts, now.grid_meter], [-480, 'b'])
})

test('an inverter without a battery leaves the state of charge of the others alone', () => {
  const withoutBattery = { ...second, battery_w: 0, soc_percent: 0, capacity_wh: null }
  assert.equal(plantNow('House', [part, withoutBattery]).soc_percent, 50)
  // One that says how full it is, but not how large, is a battery that is not known.
  assert.equal(plantNow('House', [part, { ...second, capacity_wh: null }]).soc_percent, null)
})
