import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, valuesOf } from './mqtt-values.ts'

const settings = {
  enabled: true,
  url: 'mqtt://broker',
  username: 'hearth',
  ca_certificate: '',
  client_certificate: '',
  base_topic: 'hearth',
  discovery_prefix: 'homeassistant',
  metrics: ['battery_soc'],
  interval_seconds: 30,
  offers_controls: false,
  has_password: true,
  has_client_key: false,
}

test('an empty password keeps the stored one, and goes when the user name goes', () => {
  const values = valuesOf({ settings })
  assert.equal('password' in changeOf(values), false)
  assert.equal(changeOf({ ...values, password: 'new' }).password, 'new')
  assert.equal(changeOf({ ...values, username: '' }).password, null)
  assert.equal(changeOf({ ...values, interval_seconds: '45' }).interval_seconds, 45)
})
