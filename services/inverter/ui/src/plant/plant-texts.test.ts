import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlantNow } from '../api.ts'
import { contentText, inverterText, missingText, plantFlow, socText, unknownText } from './plant-texts.ts'

const inverter: PlantNow['inverters'][number] = {
  device_id: 'a',
  display_name: 'Roof',
  sees_grid: true,
  state: 'ok',
  is_away: false,
  is_off_for_night: false,
  last_success_at: null,
  pv_w: 2500,
  battery_w: -900,
  ac_w: 1600,
  soc_percent: 54.6,
  capacity_wh: 9600,
}
const away = {
  ...inverter,
  device_id: 'b',
  display_name: 'Barn',
  is_away: true,
  pv_w: null,
  battery_w: null,
  soc_percent: null,
}
const sum = { watts: null, known_watts: 2500, inverters: 1 }
const plant: PlantNow = {
  display_name: 'House',
  inverters: [inverter, away],
  away: ['b'],
  grid_meter: 'a',
  pv: sum,
  battery: { watts: null, known_watts: -900, inverters: 1 },
  grid: { watts: 300, known_watts: 300, inverters: 1 },
  house: { watts: null, known_watts: null, inverters: 1 },
  soc_percent: null,
  stored_wh: null,
  capacity_wh: 19_200,
  known_soc_percent: 54.6,
  known_stored_wh: 5242,
  unknown_batteries: ['b'],
}

test('a plant of which a part is away shows no sums, and says who is missing and what is known', () => {
  assert.deepEqual(plantFlow(plant), {
    solar: undefined,
    house: undefined,
    battery: undefined,
    grid: 300,
    soc: undefined,
  })
  assert.equal(missingText(plant), 'No values from Barn. 1 of 2 inverters answer: 2.50 kW produced, 900 W charging.')
  assert.equal(missingText({ ...plant, away: [] }), undefined)
})

test('what the batteries hold is said of those that are known, and who does not say it', () => {
  assert.deepEqual([socText(plant), contentText(plant)], ['55 % without Barn', '5.2 kWh without Barn'])
  assert.equal(unknownText(plant), undefined, 'that Barn is away is said above')
  const whole = { ...plant, soc_percent: 60, stored_wh: 11_520, unknown_batteries: [] }
  assert.deepEqual([socText(whole), contentText(whole)], ['60 %', '11.5 kWh of 19.2 kWh'])
  const small = { ...plant, inverters: [inverter, { ...away, is_away: false, soc_percent: 20, capacity_wh: null }] }
  assert.equal(unknownText(small), 'Barn has not said yet how much its battery holds.')
  const nothing = { ...plant, known_soc_percent: null, known_stored_wh: null }
  assert.deepEqual([socText(nothing), contentText(nothing)], ['Not known', 'Not known, of 19.2 kWh'])
  const both = { ...nothing, inverters: small.inverters, unknown_batteries: ['a', 'b'] }
  assert.equal(socText(both), 'Between 20 % and 55 %')
  const none = { ...nothing, capacity_wh: null, unknown_batteries: [] }
  assert.deepEqual([socText(none), contentText(none)], ['No battery', 'No battery'])
})

test('an inverter of the plant says what it does', () => {
  assert.equal(inverterText(inverter), '2.50 kW solar, battery charging 900 W, 55 % full')
  assert.equal(inverterText(away), 'No values now')
  assert.match(inverterText({ ...away, is_away: false, is_off_for_night: true }), /switches off in the dark/)
})
