import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnergySlotRow } from '../../tables.ts'
import { combineSlots, type PlantMeter } from './combine-slots.ts'

const first: PlantMeter = { number: 1, seesGrid: true, firstSlot: 0, capacityWh: 10_000 }
const second: PlantMeter = { number: 2, seesGrid: false, firstSlot: 100, capacityWh: 5000 }

const row: EnergySlotRow = {
  meter: 1,
  slot: 200,
  pv_wh: 300,
  load_wh: 250,
  import_wh: 0,
  export_wh: 120,
  charge_wh: 50,
  discharge_wh: 0,
  pv_w: 3600,
  load_w: 3000,
  grid_w: -1440,
  battery_w: -600,
  ac_wh: 240,
  soc: 500,
  source: 0,
}
const other: EnergySlotRow = {
  ...row,
  meter: 2,
  pv_wh: 100,
  charge_wh: 0,
  import_wh: 0,
  export_wh: 0,
  load_wh: 95,
  pv_w: 1200,
  load_w: 1140,
  grid_w: 0,
  battery_w: 0,
  ac_wh: 95,
  soc: 200,
}
const rowsOf = (...rows: EnergySlotRow[]) => new Map(rows.map((each) => [each.meter, each]))

test('grid once, sums of sun and battery, and the house from grid and inverters', () => {
  const slot = combineSlots(200, [first, second], rowsOf(row, other))
  assert.deepEqual(
    [slot?.pv_wh, slot?.import_wh, slot?.export_wh, slot?.charge_wh, slot?.load_wh],
    [400, 0, 120, 50, 215],
  )
  assert.deepEqual([slot?.pv_w, slot?.grid_w, slot?.battery_w, slot?.load_w, slot?.soc], [4800, -1440, -600, 2580, 400])
})

test('five minutes of which something is missing are not added up', () => {
  assert.equal(combineSlots(200, [first, second], rowsOf(row)), undefined)
  assert.equal(combineSlots(200, [first, second], rowsOf(other)), undefined)
  // Before its first slot there was no such inverter.
  assert.equal(combineSlots(99, [first, second], rowsOf({ ...row, slot: 99 }))?.pv_wh, 300)
})

test('what counters alone say has no curve, unless nothing flowed', () => {
  const counted = { pv_w: null, load_w: null, grid_w: null, battery_w: null, ac_wh: null, soc: null, source: 2 }
  const night = { ...other, ...counted, pv_wh: 0, load_wh: 0 }
  const off = combineSlots(200, [first, { ...second, capacityWh: null }], rowsOf(row, night))
  assert.deepEqual([off?.pv_w, off?.load_w, off?.soc, off?.source], [3600, 1440, 500, 2])
  const away = combineSlots(200, [first, second], rowsOf(row, { ...other, ...counted }))
  // Without a measurement the inverter gave what sun and battery gave.
  assert.deepEqual([away?.pv_w, away?.load_w, away?.load_wh, away?.soc], [null, null, 220, null])
})

test('the house is unknown while no sensor sees the grid, and what inverters give is not', () => {
  const blind = combineSlots(200, [{ ...first, seesGrid: false }, second], rowsOf(row, other))
  assert.deepEqual([blind?.pv_wh, blind?.load_wh, blind?.import_wh, blind?.load_w], [400, null, null, null])
})
