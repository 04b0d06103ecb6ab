import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlanSettingsView } from '../api.ts'
import { changeOf, valuesOf } from './plan-values.ts'

const settings: PlanSettingsView['settings'] = {
  enabled: true,
  carries_out: false,
  device_id: '',
  whole_plant: true,
  batteries: [{ device_id: 'barn', capacity_wh: 5000, discharge_efficiency: 0.935 }],
  currency: 'EUR',
  price_source: 'fixed',
  price_area: '',
  price_url: '',
  price_list: '',
  price_start: 'start',
  price_end: '',
  price_value: 'price',
  price_unit: 'kwh',
  fixed_price: 0.3,
  windows: [{ days: 'weekdays', from: '22:00', to: '06:00', price: 0.2 }],
  surcharge: 0,
  tax_percent: 0,
  fees: [],
  feed_in_price: 0.08,
  feed_in_limit_w: null,
  grid_limit_w: 5000,
  forecast_source: 'open-meteo',
  latitude: 52.5,
  longitude: 13.4,
  planes: [{ tilt: 35, azimuth: -10, peak_w: 8000 }],
  capacity_wh: null,
  reserve_percent: 10,
  full_percent: 95,
  charge_efficiency: 0.955,
  discharge_efficiency: 0.96,
  wear: 0.02,
  has_key: true,
}

test('settings go through the form unchanged, and the key only when it is entered', () => {
  const { has_key: _, ...stored } = settings
  const values = valuesOf({ settings })
  assert.equal(values.windows, 'weekdays 22:00-06:00 0.2')
  assert.equal(values.planes, '35 -10 8000')
  assert.equal(values.batteries, 'barn content=5000 discharging=93.5')
  assert.deepEqual(changeOf(values, settings), stored)
  assert.equal(changeOf({ ...values, key: 'secret' }, settings).key, 'secret')
})

test('a line that cannot be read is named', () => {
  const values = valuesOf({ settings })
  assert.throws(() => changeOf({ ...values, fees: 'at night 0.1' }, settings), /Grid fees by time: “at night 0.1”/)
  assert.throws(() => changeOf({ ...values, planes: '35 south 8000' }, settings), /Panels: “35 south 8000”/)
  assert.throws(() => changeOf({ ...values, batteries: 'barn size=5' }, settings), /Batteries: “barn size=5” must be/)
  assert.deepEqual(changeOf({ ...values, fees: '00:00-24:00 0.1' }, settings).fees[0]?.days, 'daily')
})
