import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choicesOf, toWriteValue } from './write-values.ts'

test('what is typed becomes a value of the object’s kind, or none yet', () => {
  assert.equal(toWriteValue('12.5', { value_type: 'number' }), 12.5)
  assert.equal(toWriteValue('', { value_type: 'integer' }), undefined)
  assert.equal(toWriteValue('-', { value_type: 'number' }), undefined)
  assert.equal(toWriteValue('off', { value_type: 'boolean' }), false)
  assert.equal(toWriteValue('', { value_type: 'string' }), '')
  assert.equal(toWriteValue('4', { value_type: 'enum' }), 4)
})

test('named values keep their codes, and only those that may be written', () => {
  const labels = { 0: 'default', 3: 'start_bootloader', 4: 'reset_dsp' }
  assert.deepEqual(choicesOf({ labels, allowed_values: [0, 4] }), [
    { value: '0', label: 'default (0)' },
    { value: '4', label: 'reset dsp (4)' },
  ])
})
