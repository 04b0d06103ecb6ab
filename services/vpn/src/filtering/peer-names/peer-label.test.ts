import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { numberedLabel, peerLabel } from './peer-label.ts'

test('names of peers make labels', () => {
  for (const [name, label] of [
    ['Phone', 'phone'],
    ["Anna's  Phone_2", 'annas-phone-2'],
    ['TV (living room)', 'tv-living-room'],
    ['Bücher', 'xn--bcher-kva'],
    ['123', '123'],
    ['--a--b--', 'a-b'],
    ['📱', undefined],
    ['...', undefined],
    ['xn--', 'xn'],
    ['x'.repeat(80), 'x'.repeat(63)],
  ] as const)
    assert.equal(peerLabel(name), label, name)
  assert.ok((peerLabel('ü'.repeat(64)) ?? '').length <= 63)
  assert.equal(numberedLabel('phone', 1), 'phone')
  assert.equal(numberedLabel('x'.repeat(63), 12), `${'x'.repeat(60)}-12`)
})

test('whatever a peer is called, its label is one or there is none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 64 }), (name) => {
      const label = peerLabel(name)
      if (label !== undefined) assert.match(label, /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)
    }),
    { numRuns: 3000 },
  )
})
