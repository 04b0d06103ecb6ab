import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, valuesOf } from './time-series-values.ts'

const settings = {
  enabled: true,
  url: 'http://db:8086',
  api: 'v1',
  organization: '',
  bucket: '',
  database: 'home',
  username: 'hearth',
  measurement: 'inverter',
  metrics: ['battery_soc'],
  interval_seconds: 30,
  precision: 's',
  buffer_mib: 50,
  has_token: false,
  has_password: true,
} as const

test('an empty secret keeps the stored one, and a password goes with its user', () => {
  const values = valuesOf({ settings: { ...settings, metrics: ['battery_soc'] } })
  assert.equal('password' in changeOf(values), false)
  assert.equal(changeOf({ ...values, password: 'new' }).password, 'new')
  assert.equal(changeOf({ ...values, username: '' }).password, null)
  assert.deepEqual(changeOf({ ...values, interval_seconds: '10', token: 't' }).interval_seconds, 10)
})
