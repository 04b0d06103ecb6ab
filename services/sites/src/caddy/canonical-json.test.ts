import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { canonicalJson, joinedJson, keepText } from './canonical-json.ts'

test('canonical JSON ignores the order of keys and keeps the order of lists', () => {
  assert.equal(canonicalJson({ b: [{ z: 1, a: 2 }], a: null }), '{"a":null,"b":[{"a":2,"z":1}]}')
  assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]))
  assert.equal(canonicalJson({ a: undefined }), '{}')
  assert.equal(canonicalJson(undefined), 'null')
})

test('canonical JSON parses to the same value and is idempotent', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
      assert.equal(canonicalJson(JSON.parse(text)), text)
    }),
  )
})

test('the text that is joined from kept texts is the canonical one', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()), (object, list) => {
      for (const value of [...Object.values(object), ...list])
        if (typeof value === 'object' && value !== null) keepText(value)
      const whole = { object, list: [...list, object, undefined], nothing: undefined, 'a "name"\n': 1 }
      const text = canonicalJson(whole)
      assert.equal(joinedJson(whole), text)
      assert.equal(joinedJson(whole), text, 'once more, when the texts are there')
    }),
  )
  assert.equal(joinedJson(undefined), 'null')
})
