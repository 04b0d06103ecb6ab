import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warningFor, expectedRange } from './write-values.ts'

const number = (name: string, unit: string | null = null) => ({ name, unit, value_type: 'number' as const })

test('the expected range of a metric follows from its unit and name', () => {
  assert.deepEqual([expectedRange(number('x', '%'))?.max, expectedRange(number('x', 'ratio'))?.max], [100, 1])
  for (const name of ['power_mng_soc_min', 'power_mng_soc_target_set', 'battery_soc_target_high', 'battery_soh'])
    assert.equal(expectedRange(number(name))?.max, 1, name)
  assert.equal(expectedRange(number('nsm_cos_phi_const'))?.min, -1)
  for (const name of ['battery_soc_update_since', 'bat_mng_struct_bat_calib_soc_threshold', 'cs_neg_2'])
    assert.equal(expectedRange(number(name)), undefined, name)
})

test('a value outside its expected range or far from the current value gives a warning', () => {
  assert.match(warningFor(number('power_mng_soc_min'), { value: 80, now: 0.07 }) ?? '', /ratio.*from 0 to 1/)
  assert.match(warningFor(number('cs_neg_2'), { value: 80, now: 0.5 }) ?? '', /ten times the current value/)
  assert.equal(warningFor(number('power_mng_soc_min'), { value: 0.1, now: 0.07 }), null)
  assert.equal(warningFor(number('cs_neg_2'), { value: 2, now: 0.5 }), null)
  assert.equal(warningFor(number('cs_neg_2'), { value: 80, now: null }), null)
  assert.equal(warningFor({ name: 'x', unit: null, value_type: 'boolean' }, { value: true, now: false }), null)
})
