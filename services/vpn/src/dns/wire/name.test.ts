import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { nameOf } from '../../../test/dns-messages.ts'
import { Name, isWithin, readName, skipName, textOf, writeDotted } from './name.ts'
import { wireName } from './wire-name.ts'

const label = fc.stringMatching(/^[a-z0-9_-]{1,20}$/)
const domain = fc.array(label, { minLength: 1, maxLength: 10 }).map((labels) => labels.join('.'))

/** A message of twelve bytes and what is given. */
const messageOf = (...bytes: number[]): Uint8Array => Uint8Array.from([...new Uint8Array(12), ...bytes])
const read = (m: Uint8Array, at: number) => {
  const name = new Name()
  const after = readName(name, m, 0, m.length, at)
  return after < 0 ? undefined : { text: textOf(name), after }
}

describe('names in messages', () => {
  test('are read in lower case, however they are compressed', () => {
    fc.assert(
      fc.property(domain, domain, fc.nat(), (one, other, draw) => {
        const first = [...wireName(one)!]
        const starts: number[] = []
        for (let at = 0; first[at] !== 0; at += first[at]! + 1) starts.push(at)
        const start = starts[draw % starts.length]!
        const head = [...wireName(other)!].slice(0, -1)
        const m = messageOf(...first.map((byte) => (byte >= 97 ? byte - 32 : byte)), ...head, 0xc0, 12 + start)
        assert.deepEqual(read(m, 12), { text: one, after: 12 + first.length })
        const tail = one.split('.').slice(starts.indexOf(start)).join('.')
        const whole = `${other}.${tail}`
        const expected = wireName(whole) === undefined ? undefined : { text: whole, after: m.length }
        assert.deepEqual(read(m, 12 + first.length), expected)
        assert.equal(skipName(m, 12 + first.length, m.length), m.length)
      }),
    )
  })

  test('that point forward, to themselves, into the header or in a circle are rejected', () => {
    assert.equal(read(messageOf(0xc0, 12), 12), undefined)
    assert.equal(read(messageOf(0xc0, 14, 0), 12), undefined)
    assert.equal(read(messageOf(0xc0, 4), 12), undefined)
    assert.equal(read(messageOf(1, 97, 0xc0, 12), 12), undefined)
    assert.equal(read(messageOf(1, 97, 0xc0, 16, 1, 98, 0xc0, 12), 16), undefined)
    assert.equal(read(messageOf(0x40, 97, 0), 12), undefined)
    assert.equal(read(messageOf(3, 97, 98), 12), undefined)
    assert.equal(read(messageOf(0xc0), 12), undefined)
    // Pointers to pointers, each further back: allowed, and bounded by that.
    const chain = messageOf(1, 97, 0, ...Array.from({ length: 60 }, (_, k) => [0xc0, k === 0 ? 12 : 13 + 2 * k]).flat())
    assert.equal(read(chain, chain.length - 2)?.text, 'a')
  })

  test('of any bytes terminate within the message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 13, maxLength: 400 }), fc.nat(), (m, draw) => {
        const name = new Name()
        const after = readName(name, m, 0, m.length, 12 + (draw % (m.length - 12)))
        assert.ok(after === -1 || (after <= m.length && name.length <= 255 && name.count < 128))
      }),
      { numRuns: 2000 },
    )
  })

  test('are written out for patterns and for display', () => {
    const text = new Uint8Array(255)
    assert.equal(Buffer.from(text.subarray(0, writeDotted(nameOf('A.bc.Example'), text))).toString(), 'a.bc.example')
    assert.equal(writeDotted(nameOf(''), text), 0)
    assert.equal(read(messageOf(3, 97, 46, 98, 2, 0, 255, 0), 12)?.text, 'a\\.b.\\000\\255')
  })

  test('are matched against a domain by whole labels', () => {
    const isIn = (name: string, domain: string) => isWithin(nameOf(name), wireName(domain)!)
    assert.ok(isIn('a.example', 'example') && isIn('example', 'example') && isIn('x.y.a.example', 'a.example'))
    assert.ok(!isIn('example', 'a.example') && !isIn('bexample', 'example') && !isIn('a.example.org', 'example'))
  })

  test('in text have labels of 1 to 63 bytes and 253 bytes in total', () => {
    assert.equal(wireName('a..b'), undefined)
    assert.equal(wireName(''), undefined)
    assert.equal(wireName('a'.repeat(64)), undefined)
    assert.equal(wireName(`${'a.'.repeat(126)}b`)?.length, 255)
    assert.equal(wireName(`${'a.'.repeat(127)}b`), undefined)
    assert.deepEqual(wireName('Ab.C.'), Uint8Array.from([2, 97, 98, 1, 99, 0]))
  })
})
