import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestGap } from './gaps.ts'
import { slotsOfLog, unitOf } from './log-series.ts'

const second = 1_800_000_000
const timeOf = (seconds: number) => seconds * 1000
const points = (...values: number[]) => values.map((value, index) => ({ time: second - index * 300, value }))

test('a point stands at the end of its five minutes, and the battery has the sign that the balance demands', () => {
  const stretch = {
    load: points(100, 50),
    pvA: points(0, 120),
    pvB: points(0, 30),
    imported: points(10, 0),
    exported: points(0, -40),
    soc: points(0.42, 0.43),
  }
  const expected = [
    { slot: 5_999_998, pv_wh: 150, load_wh: 50, export_wh: 40, charge_wh: 60, discharge_wh: 0, grid_w: -480, soc: 430 },
    { slot: 5_999_999, pv_wh: 0, load_wh: 100, export_wh: 0, charge_wh: 0, discharge_wh: 90, grid_w: 120, soc: 420 },
  ]
  for (const sign of [1, -1]) {
    const slots = slotsOfLog({ ...stretch, battery: points(sign * 90, sign * -60) }, { unit: 'Wh', timeOf })
    assert.equal(slots.length, 2)
    for (const [index, slot] of slots.entries()) assert.deepEqual({ ...slot, ...expected[index] }, slot)
  }
  const [, watts] = slotsOfLog({ load: points(1200, 600) }, { unit: 'W', timeOf })
  assert.deepEqual([watts?.load_wh, watts?.load_w, watts?.pv_wh, watts?.source], [100, 1200, null, 1])
})

test('the unit of the log follows from what the inverter has counted', () => {
  assert.equal(unitOf(4100, 4000), 'Wh')
  assert.equal(unitOf(49_000, 4000), 'W')
  assert.equal(unitOf(16_000, 4000), undefined)
  assert.equal(unitOf(0, 4000), undefined)
})

test('the newest gap is found first', () => {
  const known = new Set([1, 2, 5, 6, 9])
  assert.deepEqual(newestGap(known, { from: 0, until: 10 }), { from: 7, until: 9 })
  assert.deepEqual(newestGap(known, { from: 0, until: 7 }), { from: 3, until: 5 })
  assert.deepEqual(newestGap(known, { from: 0, until: 3 }), { from: 0, until: 1 })
  assert.equal(newestGap(known, { from: 1, until: 3 }), undefined)
})
