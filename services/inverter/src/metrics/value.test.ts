import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadCatalog } from '../catalog/catalog.ts'
import type { Problem } from '../problems.ts'
import { apiValueOf, isSameValue, labelOf, payloadOf } from './value.ts'
import { checkValue } from './write-metric.ts'

const catalog = loadCatalog()
const object = (name: string) => catalog.byName(name)!
const rule = (name: string) => catalog.allowlist.get(name)!
const hex = (text: string) => Buffer.from(text, 'hex')

test('values come in the unit of their metric', () => {
  assert.equal(apiValueOf(object('battery_soc'), hex('3e97b191')), 0.296_276_599_168_777_47)
  assert.equal(apiValueOf(object('battery_soc_target'), hex('3f333333')), 70)
  assert.equal(apiValueOf(object('inverter_state'), hex('0d')), 13)
  assert.equal(labelOf(object('inverter_state'), 13), 'feed_in')
  assert.equal(labelOf(object('inverter_state'), 200), null)
  assert.equal(apiValueOf(object('power_mng_use_grid_power_enable'), hex('02')), true)
  const cells = apiValueOf(object('battery_cells_0'), hex('172d0b00'.repeat(24))) as { cells: object[] }
  assert.equal(cells.cells.length, 24)
  assert.deepEqual(cells.cells[0], { temperature: 23, millivolts: 2861, status: 0 })
  const resistance = apiValueOf(object('battery_cells_resist_0'), hex('02800000'.repeat(24))) as { milliohms: number[] }
  assert.deepEqual(resistance.milliohms.slice(0, 2), [2.5, 2.5])
  assert.throws(() => apiValueOf(object('battery_cells_0'), hex('172d0b00')))
})

test('a payload that does not fit the type yields no value', () => {
  assert.throws(() => apiValueOf(object('battery_soc'), hex('0030')))
  assert.throws(() => apiValueOf(object('battery_voltage'), hex('7fc00000')))
})

test('80 and 80.0 write the same value, and the device stores a ratio', () => {
  const target = object('battery_soc_target')
  assert.deepEqual(Buffer.from(payloadOf(target, 80)), hex('3f4ccccd'))
  assert.deepEqual(payloadOf(target, JSON.parse('80.0') as number), payloadOf(target, 80))
  assert.equal(isSameValue(target, 70, 70), true)
  assert.equal(isSameValue(object('power_mng_soc_target_set'), 0.7, 0.699_999_988_079_071), true)
  assert.equal(isSameValue(object('power_mng_soc_target_set'), 0.7, 0.71), false)
  assert.equal(isSameValue(object('pas_period'), 30, 31), false)
})

test('a value is refused by type, limit and step before anything is sent', () => {
  const code = (name: string, value: unknown, more: object = {}) => {
    try {
      checkValue(object(name), { ...rule(name), ...more }, value)
      return 'fine'
    } catch (error) {
      return (error as Problem).code
    }
  }
  assert.equal(code('pas_period', 30), 'fine')
  assert.equal(code('pas_period', 30.5), 'value_type_mismatch')
  assert.equal(code('pas_period', '30'), 'value_type_mismatch')
  assert.equal(code('pas_period', -1), 'value_out_of_range')
  assert.equal(code('pas_period', 2 ** 32), 'value_out_of_range')
  assert.equal(code('battery_soc_target', 100.1), 'value_out_of_range')
  assert.equal(code('battery_soc_target', Number.NaN), 'value_not_finite')
  assert.equal(code('power_mng_battery_power_extern', 1e39), 'value_out_of_range')
  assert.equal(code('power_mng_use_grid_power_enable', 1), 'value_type_mismatch')
  assert.equal(code('power_mng_use_grid_power_enable', true), 'fine')
  assert.equal(code('com_service', 6), 'value_out_of_range')
  assert.equal(code('com_service', 18), 'fine')
  assert.equal(code('pas_period', 7, { step: 5 }), 'value_step_mismatch')
  assert.equal(code('wifi_sockb_ip', 'a\0b'), 'value_out_of_range')
  assert.equal(code('wifi_sockb_ip', 'ä'.repeat(65)), 'value_out_of_range')
  assert.equal(code('wifi_sockb_ip', '192.0.2.1'), 'fine')
})

test('a percentage or ratio outside its range is refused, and the error names the range', () => {
  const detailFor = (name: string, value: number) => {
    try {
      checkValue(object(name), { ...rule(name), minimum: -3e38, maximum: 3e38 }, value)
      return 'fine'
    } catch (error) {
      return (error as Problem).message
    }
  }
  assert.match(detailFor('battery_soc', 80), /must be from 0 to 1 \(a share/)
  assert.match(detailFor('battery_soc_target', 101), /must be from 0 to 100 \(percent/)
  assert.equal(detailFor('battery_soc', 0.8), 'fine')
  assert.equal(detailFor('battery_soc_target', 80), 'fine')
  assert.equal(detailFor('power_mng_soc_min', 80), 'fine')
})
