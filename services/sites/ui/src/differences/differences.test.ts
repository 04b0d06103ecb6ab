import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOfField, textOfValue } from './field-names.ts'

test('fields have readable labels, and rows count from one', () => {
  assert.equal(nameOfField('upstreams.0.url'), 'Upstreams 1 › Address')
  assert.equal(nameOfField('tls.mode'), 'TLS › Certificate')
  assert.equal(nameOfField('something_new'), 'Something new')
})

test('values are shown as text, and missing ones as a dash', () => {
  assert.deepEqual([undefined, true, [], ['a', 'b'], { a: 1 }].map(textOfValue), ['–', 'on', 'none', 'a, b', '{"a":1}'])
})
