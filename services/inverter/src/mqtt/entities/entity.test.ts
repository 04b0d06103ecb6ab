import assert from 'node:assert/strict'
import { test } from 'node:test'
import { componentProblems } from '../../../test/home-assistant.ts'
import { maxState } from '../../../test/home-assistant.data.ts'
import { loadCatalog } from '../../catalog/catalog.ts'
import type { Component, Components } from './component.ts'
import { energyEntities, energyNames } from './energy-entities.ts'
import { dashboardMetrics, entitiesOf } from './entity.ts'
import { stateOf } from './quantity.ts'
import { createTopics } from './topics.ts'

const catalog = loadCatalog()
const topics = createTopics({ base_topic: 'hearth', discovery_prefix: 'homeassistant' })
const context = { catalog, topics, deviceId: 'roof.south_1' }

/** All entities of the catalog, with and without controls. */
const all = (isApproved: boolean): [string, Component][] =>
  catalog.objects.flatMap((object) => Object.entries(entitiesOf(object, isApproved, context)))

for (const isApproved of [false, true])
  test(`Home Assistant takes every entity of all objects, ${isApproved ? 'approved' : 'read only'}`, () => {
    assert.equal(catalog.objects.length, 894)
    const entities = [...all(isApproved), ...Object.entries(energyEntities(context, 5000))]
    const wrong = entities.flatMap(([key, component]) => componentProblems(component).map((text) => `${key}: ${text}`))
    assert.deepEqual(wrong, [])
    const ids = entities.map(([, { unique_id: id }]) => id)
    assert.equal(new Set(ids).size, ids.length, 'two entities have the same id')
  })

test('every object has an entity that shows it, except actions, and each a name', () => {
  for (const object of catalog.objects) {
    const entities = Object.values(entitiesOf(object, false, context))
    assert.equal(entities.length, object.isAction ? 0 : 1, object.name)
    for (const { name } of entities) assert.match(String(name), /^[A-Z]/, object.name)
  }
  const names = catalog.objects
    .flatMap((object) => Object.values(entitiesOf(object, false, context)))
    .map(({ name }) => name)
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  assert.deepEqual(twice, [], 'names that two objects have')
})

test('the Energy dashboard takes the counters as they are', () => {
  const counters = [
    'energy_grid_load_total',
    'energy_e_grid_feed_total',
    'energy_e_load_total',
    'energy_e_grid_load_day',
    ...dashboardMetrics,
  ]
  for (const name of counters) {
    const { device_class, state_class, unit_of_measurement } = sensor(name)
    assert.deepEqual([device_class, state_class, unit_of_measurement], ['energy', 'total_increasing', 'Wh'], name)
  }
  const { device_class, unit_of_measurement } = sensor('battery_soc')
  assert.deepEqual([device_class, unit_of_measurement], ['battery', '%'])
})

test('a control has the limits of the allowlist and the choices of the catalog', () => {
  const control = (name: string) => approved(name)[`${name}_control`]
  assert.deepEqual([control('battery_soc_target')?.['min'], control('battery_soc_target')?.['max']], [0, 100])
  assert.equal(control('power_mng_use_grid_power_enable')?.platform, 'switch')
  const strategy = control('power_mng_soc_strategy')
  assert.deepEqual(strategy?.['options'], [
    'target_equals_soc',
    'constant',
    'external',
    'middle_battery_voltage',
    'internal',
    'schedule',
  ])
  const buttons = Object.values(approved('com_service'))
  assert.ok(buttons.every(({ platform }) => platform === 'button'))
  const codes = buttons.map(({ payload_press: code }) => Number(code))
  assert.deepEqual(codes, [0, 5, 9, 10, 12, 13, 14, 15, 16, 18])
})

test('names of the Energy Manager are none of the catalog', () => {
  for (const name of Object.values(energyNames)) assert.equal(catalog.byName(name), undefined)
})

test('a state is text that Home Assistant takes, whatever the inverter sends', () => {
  const state = (name: string, value: Parameters<typeof stateOf>[1]) => stateOf(object(name), value)
  assert.equal(state('battery_soc', 0.7000000163912773), '70')
  assert.equal(state('inverter_state', 13), 'feed_in')
  assert.equal(state('inverter_state', 200), 'None')
  assert.equal(state('battery_bms_sn', ''), 'None')
  assert.equal(state('battery_bms_sn', 'x'.repeat(999)).length, maxState)
  assert.equal(state('power_mng_bat_next_calib_date', 0), 'None')
  assert.equal(state('power_mng_bat_next_calib_date', 1_800_000_000), '2027-01-15T08:00:00.000Z')
  assert.equal(state('fault_0_flt', 4_294_967_295), '4294967295')
})

const object = (name: string) => {
  const found = catalog.byName(name)
  assert.ok(found !== undefined, name)
  return found
}
const sensor = (name: string): Component => entitiesOf(object(name), false, context)[name] as Component
const approved = (name: string): Components => entitiesOf(object(name), true, context)
