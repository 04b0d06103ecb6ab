import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdminDevice } from '../api.ts'
import {
  changesAddress,
  deviceValues,
  newDeviceValues,
  proposedId,
  toDeviceChange,
  toDeviceCreate,
} from './device-values.ts'

const device = {
  device_id: 'roof',
  display_name: 'Roof',
  host: '10.0.0.5',
  port: 8899,
  network_id: null,
  request_gap_ms: 80,
  periodic_reads: true,
} as AdminDevice

test('a new device has the typed values with surrounding spaces removed', () => {
  assert.deepEqual(toDeviceCreate({ ...newDeviceValues, device_id: ' roof ', host: ' 10.0.0.5 ', network_id: 7 }), {
    device_id: 'roof',
    display_name: '',
    host: '10.0.0.5',
    port: 8899,
    network_id: 7,
    request_gap_ms: 80,
    periodic_reads: true,
  })
})

test('a change sends only what differs, and a changed address is detected', () => {
  const values = deviceValues(device)
  assert.equal(toDeviceChange(values, device), undefined)
  assert.deepEqual(toDeviceChange({ ...values, request_gap_ms: '120' }, device), { request_gap_ms: 120 })
  assert.equal(changesAddress({ ...values, request_gap_ms: 120 }, device), false)
  assert.equal(changesAddress({ ...values, network_id: 3 }, device), true)
})

test('a device ID is proposed from the display name', () => {
  assert.equal(proposedId('Dach Süd (neu)'), 'dach-sud-neu')
  assert.equal(proposedId('---'), '')
})
