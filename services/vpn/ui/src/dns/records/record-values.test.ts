import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lifetimeChoices, lifetimeText, recordValues, toRecord } from './record-values.ts'

test('the form of a record gives back what it was made of', () => {
  const record = { name: 'nas.home', type: 'A', value: '192.168.1.5', ttl: 300, reverse: true } as const
  assert.deepEqual(toRecord(recordValues(record)), record)
  const typed = { ...recordValues(), name: ' nas.home ', value: ' 192.168.1.5' }
  assert.deepEqual(toRecord(typed), record)
})

test('a lifetime that is none of the usual stays among the choices', () => {
  assert.deepEqual(lifetimeChoices('300').length, 4)
  assert.deepEqual(lifetimeChoices('1234').at(-1), { value: '1234', label: '1,234 s' })
  assert.equal(lifetimeText(3600), '1 hour')
})
