import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadCatalog } from './catalog.ts'
import { parameterKind } from './parameter-kinds.ts'

const catalog = loadCatalog()
const kindOf = (name: string) => {
  const object = catalog.byName(name)
  assert.ok(object !== undefined, name)
  return parameterKind(object)
}

test('what somebody sets is a setting, and versions and serial numbers are facts', () => {
  for (const name of [
    'power_mng_soc_min',
    'nsm_u_q_u_0',
    'p_rec_lim_1',
    'io_board_rse_table_3',
    'wifi_use_wifi',
    'cs_neg_0',
  ])
    assert.equal(kindOf(name), 'setting', name)
  for (const name of ['svnversion', 'inverter_serial', 'battery_module_sn_0', 'wifi_ip', 'rb485_version_main'])
    assert.equal(kindOf(name), 'fact', name)
})

test('nothing that changes by itself is a parameter: readings, counters, states, times, actions, logs', () => {
  const { preselected, periodic, energyFlow } = catalog.roles
  const shown = [...preselected, ...periodic, ...energyFlow].filter((name) => kindOf(name) === 'setting')
  assert.deepEqual([...new Set(shown)], ['power_mng_bat_calib_reqularity'])
  for (const name of [
    'com_service',
    'net_slave_data',
    'logger_minutes_ea_log_ts',
    'flash_rtc_time_stamp',
    'io_board_check_state',
  ])
    assert.equal(kindOf(name), undefined, name)
  const others = [
    'power_mng_state',
    'power_mng_is_grid',
    'power_mng_bat_next_calib_date',
    'pas_period',
    'fault_0_flt',
    'wifi_state',
  ]
  for (const name of others) assert.equal(kindOf(name), undefined, name)
})

test('an object whose name speaks of a secret is never a parameter, whatever its group', () => {
  const object = catalog.byName('wifi_mode')
  assert.ok(object !== undefined)
  assert.equal(parameterKind({ ...object, name: 'wifi_ap_password', vendorName: 'wifi.ap_password' }), undefined)
  assert.equal(parameterKind({ ...object, vendorName: 'wifi.Secret' }), undefined)
})

test('a group that the shipped catalog does not have changes by itself', () => {
  const object = catalog.byName('modbus_address')
  assert.ok(object !== undefined)
  assert.equal(parameterKind({ ...object, group: 'novel' }), undefined)
})
