import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadCatalog } from '../catalog/catalog.ts'
import { faultsOf, flagsOf } from './health.ts'

const { faultLabels, batteryStatusLabels } = loadCatalog()

test('each of the 128 fault bits has its own name', () => {
  for (let bit = 0; bit < 128; bit += 1) {
    const words = [0, 0, 0, 0]
    words[Math.floor(bit / 32)] = 2 ** (bit % 32)
    assert.deepEqual(faultsOf(words, faultLabels), [{ bit, label: faultLabels[bit] }])
  }
  assert.deepEqual(faultsOf([0, 0, 0, 0], faultLabels), [])
})

test('a battery status is reported as names, with unknown bits as a mask', () => {
  assert.deepEqual(flagsOf(0x1408, batteryStatusLabels), ['calibration_high', 'calibration_low', 'error'])
  assert.deepEqual(flagsOf(-0x8000_0000, batteryStatusLabels), ['0x80000000'])
})
