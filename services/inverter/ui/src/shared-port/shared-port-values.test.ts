import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextPort, settingsOf, valuesOf } from './shared-port-values.ts'

const settings = {
  enabled: true,
  bind_address: '0.0.0.0',
  cache_seconds: 2,
  inverters: [{ device_id: 'roof', port: 8899 }],
  clients: [{ name: 'evcc', network: '192.168.1.9', may_write: ['power_mng_soc_strategy'] }],
}

test('a form that was not touched saves what was stored', () => {
  assert.deepEqual(settingsOf(valuesOf({ settings })), settings)
})

test('the next inverter gets the first port that is free', () => {
  assert.equal(nextPort([]), 8899)
  const inverters = [
    { device_id: 'roof', port: 8899 },
    { device_id: 'barn', port: '8900' },
  ]
  assert.equal(nextPort(inverters), 8901)
})
