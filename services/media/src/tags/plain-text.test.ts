import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assert as check, integer, property, string } from 'fast-check'
import { plainText } from './plain-text.ts'

test('a text becomes one line without anything unseen, and no longer than it may be', () => {
  assert.equal(plainText('  a\u0000b\n\nc\t d\u202e\u200be ', 20), 'a b c d e')
  assert.equal(plainText('x'.repeat(1_000_000), 500), 'x'.repeat(500))
  assert.equal(plainText('😀'.repeat(10), 3), '😀😀😀')
  assert.deepEqual(
    [plainText('\u0000\n ', 5), plainText('', 5), plainText(null, 5), plainText(undefined, 5)],
    Array(4).fill(null),
  )
})

test('whatever comes in, what goes out is well formed and keeps to its rules', () => {
  check(
    property(string({ unit: 'binary', maxLength: 300 }), integer({ min: 1, max: 50 }), (text, max) => {
      const plain = plainText(text, max)
      if (plain === null) return
      assert.ok(plain.isWellFormed() && plain === plain.trim() && Array.from(plain).length <= max)
      assert.doesNotMatch(plain, /\p{Cc}|\u202e|\u200b/u)
      assert.equal(plainText(plain, max), plain)
    }),
  )
})
