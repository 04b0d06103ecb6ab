import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Parameter } from '../api.ts'
import { findParameters, groupsOf, formatLimits, sortParameters } from './parameter-search.ts'

const parameter = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  name,
  vendor_name: name.replace('_', '.'),
  group: 'battery',
  unit: null,
  value_type: 'number',
  is_action: false,
  exposed: false,
  approved: false,
  writable: true,
  minimum: null,
  maximum: null,
  allowed_values: null,
  labels: null,
  help_text: null,
  ...more,
})
const list = [
  parameter('battery_soc', { exposed: true, unit: 'ratio' }),
  parameter('grid_power', { group: 'grid', approved: true }),
  parameter('com_service', { group: 'others', is_action: true }),
]
const names = (found: readonly Parameter[]) => found.map(({ name }) => name)
const all = { search: '', view: '', group: '' }

test('every typed word must be in the name, the vendor’s name or the unit', () => {
  assert.deepEqual(names(findParameters(list, { ...all, search: 'SOC batt' })), ['battery_soc'])
  assert.deepEqual(names(findParameters(list, { ...all, search: 'battery.soc' })), ['battery_soc'])
  assert.deepEqual(names(findParameters(list, { ...all, search: 'ratio' })), ['battery_soc'])
  assert.equal(findParameters(list, { ...all, search: 'soc grid' }).length, 0)
})

test('views and groups filter the list', () => {
  assert.deepEqual(names(findParameters(list, { ...all, view: 'shown' })), ['battery_soc'])
  assert.deepEqual(names(findParameters(list, { ...all, view: 'approved' })), ['grid_power'])
  assert.deepEqual(names(findParameters(list, { ...all, view: 'actions' })), ['com_service'])
  assert.deepEqual(names(findParameters(list, { ...all, group: 'grid' })), ['grid_power'])
  assert.deepEqual(groupsOf(list), ['battery', 'grid', 'others'])
})

test('a column sorts in both directions', () => {
  assert.deepEqual(names(sortParameters(list, '-name')), ['grid_power', 'com_service', 'battery_soc'])
  assert.deepEqual(names(sortParameters(list, 'group')), ['battery_soc', 'grid_power', 'com_service'])
  assert.deepEqual(names(sortParameters(list, '')), names(list))
})

test('limits are formatted for reading', () => {
  assert.equal(formatLimits(parameter('a', { minimum: 0, maximum: 255, unit: 'W' })), '0 to 255 W')
  assert.equal(formatLimits(parameter('a', { minimum: -3.4e38, maximum: 3.4e38 })), '-3.40e+38 to 3.40e+38')
  assert.equal(formatLimits(parameter('a', { allowed_values: [0, 2] })), 'one of 0, 2')
  assert.equal(formatLimits(parameter('a')), null)
})
