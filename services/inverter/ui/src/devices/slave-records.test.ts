import assert from 'node:assert/strict'
import { test } from 'node:test'
import { knownSlaves } from './device-values.ts'

test('only records with a network id can be added', () => {
  assert.deepEqual(knownSlaves([{ network_id: 7, name: 'Barn', serial_number: null }, { name: 'nothing' }]), [
    { networkId: 7, name: 'Barn', serial: '' },
  ])
})
