import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnergySlotRow } from '../tables.ts'
import { costOfDay } from './past-day.ts'
import { defaultSettings } from './plan-settings.ts'

const from = Date.UTC(2026, 10, 26)
const until = from + 86_400_000
const device = { id: 'a', capacityWh: 10_000, chargeW: 4000, dischargeW: 4000, minSoc: 0.05 }
const settings = { ...defaultSettings, fixed_price: 0.4, wear: 0, charge_efficiency: 1, discharge_efficiency: 1 }
const windows = [{ days: 'daily', from: '00:00', to: '06:00', price: 0.1 } as const]

/** Slots of a house that takes 1200 W without sun: 2400 Wh more than it takes are charged before two, and used after twelve. */
const slots = Array.from({ length: 288 }, (_, index): EnergySlotRow => {
  const [charge, discharge] = [index < 24 ? 100 : 0, index >= 144 && index < 168 ? 100 : 0]
  const powers = { pv_w: 0, load_w: 1200, grid_w: 0, battery_w: 0 }
  const energies = { pv_wh: 0, load_wh: 100, import_wh: 100 + charge - discharge, export_wh: 0 }
  const soc = 50 + (index < 24 ? index * 10 : index < 144 ? 240 : Math.max(0, 240 - (index - 143) * 10))
  const slot = from / 300_000 + index
  return {
    meter: 1,
    slot,
    ...energies,
    ...powers,
    charge_wh: charge,
    discharge_wh: discharge,
    soc,
    ac_wh: null,
    source: 0,
  }
})

const day = {
  from,
  until,
  slots,
  settings: { ...settings, windows },
  market: [],
  zone: 'UTC',
  batteries: [{ device, slots }],
}

test('a day that charged in cheap hours cost less than it would have', () => {
  const costs = costOfDay(day)
  assert.ok(costs !== undefined)
  // Without a plan the battery stays empty: 7.2 kWh at 0.10 and 21.6 kWh at 0.40.
  assert.equal(costs.costWithout.toFixed(2), '9.36')
  assert.equal(costs.cost.toFixed(2), '8.64')
})

test('a day of which too little is known is not judged', () => {
  assert.equal(costOfDay({ ...day, slots: slots.slice(0, 200) }), undefined)
  assert.equal(costOfDay({ ...day, settings: { ...day.settings, price_source: 'file' } }), undefined)
})
