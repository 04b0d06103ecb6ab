import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlantNow } from '../api.ts'
import { contentText, inverterText, missingText, plantFlow } from './plant-texts.ts'

const inverter: PlantNow['inverters'][number] = {
  device_id: 'a',
  display_name: 'Roof',
  sees_grid: true,
  state: 'ok',
  is_away: false,
  last_success_at: null,
  pv_w: 2500,
  battery_w: -900,
  ac_w: 1600,
  soc_percent: 54.6,
  capacity_wh: 9600,
}
const away = { ...inverter, device_id: 'b', display_name: 'Barn', is_away: true, pv_w: null, battery_w: null }
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
  assert.equal(contentText(plant), '– of 19.2 kWh')
})

test('an inverter of the plant says what it does', () => {
  assert.equal(inverterText(inverter), '2.50 kW solar, battery charging 900 W, 55 % full')
  assert.equal(inverterText(away), 'No values now')
})
