import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choicesOf, fieldText, toWriteValue } from './write-values.ts'

test('typed text is converted to the metric’s type; incomplete input has no value', () => {
  assert.equal(toWriteValue('12.5', { value_type: 'number' }), 12.5)
  assert.equal(toWriteValue('', { value_type: 'integer' }), undefined)
  assert.equal(toWriteValue('-', { value_type: 'number' }), undefined)
  assert.equal(toWriteValue('off', { value_type: 'boolean' }), false)
  assert.equal(toWriteValue('', { value_type: 'string' }), '')
  assert.equal(toWriteValue('4', { value_type: 'enum' }), 4)
})

test('a value that an address proposes fills the field, and nothing does when it is none', () => {
  assert.equal(fieldText('0.07', { value_type: 'number' }), 0.07)
  assert.equal(fieldText('true', { value_type: 'boolean' }), 'on')
  assert.equal(fieldText('4', { value_type: 'enum' }), '4')
  assert.equal(fieldText('moon', { value_type: 'integer' }), '')
  assert.equal(fieldText('moon', { value_type: 'boolean' }), '')
})

test('the choices of an enum are its allowed values with their codes', () => {
  const labels = { 0: 'default', 3: 'start_bootloader', 4: 'reset_dsp' }
  assert.deepEqual(choicesOf({ labels, allowed_values: [0, 4] }), [
    { value: '0', label: 'default (0)' },
    { value: '4', label: 'reset dsp (4)' },
  ])
})
