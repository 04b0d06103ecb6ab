import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choicesOf, toWriteValue } from './write-values.ts'

test('typed text is converted to the metric’s type; incomplete input has no value', () => {
  assert.equal(toWriteValue('12.5', { value_type: 'number' }), 12.5)
  assert.equal(toWriteValue('', { value_type: 'integer' }), undefined)
  assert.equal(toWriteValue('-', { value_type: 'number' }), undefined)
  assert.equal(toWriteValue('off', { value_type: 'boolean' }), false)
  assert.equal(toWriteValue('', { value_type: 'string' }), '')
  assert.equal(toWriteValue('4', { value_type: 'enum' }), 4)
})

test('the choices of an enum are its allowed values with their codes', () => {
  const labels = { 0: 'default', 3: 'start_bootloader', 4: 'reset_dsp' }
  assert.deepEqual(choicesOf({ labels, allowed_values: [0, 4] }), [
    { value: '0', label: 'default (0)' },
    { value: '4', label: 'reset dsp (4)' },
  ])
})
