import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { DecodeError, decodeValue, encodeValue, type WireType, type WireValue } from './wire-value.ts'

const cases: readonly [WireType, WireValue, string][] = [
  ['bool', true, '01'],
  ['bool', false, '00'],
  ['uint8', 255, 'ff'],
  ['int8', -128, '80'],
  ['enum', 13, '0d'],
  ['uint16', 65_535, 'ffff'],
  ['int16', -2, 'fffe'],
  ['uint32', 4_294_967_295, 'ffffffff'],
  ['uint32', 1_767_225_600, '6955b900'],
  ['int32', -2_147_483_648, '80000000'],
  ['float', 0.5, '3f000000'],
  ['float', -2000, 'c4fa0000'],
  ['string', 'RCT', '524354'],
  ['string', 'Süd', '53c3bc64'],
  ['struct', '00ff2b', '00ff2b'],
]

for (const [type, value, hex] of cases) {
  test(`${type} ${String(value)} is ${hex}`, () => {
    assert.equal(encodeValue(type, value).toHex(), hex)
    assert.equal(decodeValue(type, Uint8Array.fromHex(hex)), value)
  })
}

const values: Record<WireType, fc.Arbitrary<WireValue>> = {
  bool: fc.boolean(),
  uint8: fc.integer({ min: 0, max: 255 }),
  int8: fc.integer({ min: -128, max: 127 }),
  enum: fc.integer({ min: 0, max: 255 }),
  uint16: fc.integer({ min: 0, max: 65_535 }),
  int16: fc.integer({ min: -32_768, max: 32_767 }),
  uint32: fc.nat(0xffff_ffff),
  int32: fc.integer(),
  float: fc.float({ noNaN: true, noDefaultInfinity: true }),
  string: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '').toWellFormed()),
  struct: fc.uint8Array({ maxLength: 120 }).map((bytes) => bytes.toHex()),
}

for (const [type, arbitrary] of Object.entries(values) as [WireType, fc.Arbitrary<WireValue>][]) {
  test(`every ${type} is decoded as it was encoded`, () => {
    fc.assert(
      fc.property(arbitrary, (value) => assert.ok(Object.is(decodeValue(type, encodeValue(type, value)), value))),
    )
  })
}

test('a float is rounded to the nearest single', () => {
  assert.equal(decodeValue('float', encodeValue('float', 0.7)), Math.fround(0.7))
})

test('a text ends at its first zero byte, and invalid bytes are replaced', () => {
  assert.equal(decodeValue('string', Uint8Array.fromHex('524354000041')), 'RCT')
  assert.equal(decodeValue('string', Uint8Array.fromHex('41ff42')), 'A\ufffdB')
  assert.equal(decodeValue('string', new Uint8Array(0)), '')
})

test('a given width pads a text and widens a code', () => {
  assert.equal(encodeValue('string', 'RCT', { width: 5 }).toHex(), '5243540000')
  assert.equal(encodeValue('enum', 2, { width: 4 }).toHex(), '00000002')
  assert.equal(encodeValue('bool', true, { width: 4 }).toHex(), '00000001')
  assert.throws(() => encodeValue('string', 'Süden', { width: 5 }), RangeError)
})

test('a code other than 0 means true', () => {
  assert.equal(decodeValue('bool', Uint8Array.of(2)), true)
})

test('a payload with a wrong width is refused', () => {
  const widths = { bool: 1, uint8: 1, int8: 1, enum: 1, uint16: 2, int16: 2, uint32: 4, int32: 4, float: 4 } as const
  for (const [type, width] of Object.entries(widths) as [WireType, number][])
    for (let length = 0; length < 9; length += 1)
      if (length !== width)
        assert.throws(
          () => decodeValue(type, new Uint8Array(length)),
          (error) => error instanceof DecodeError && error.code === 'wrong_width',
        )
})

test('NaN is refused in both directions', () => {
  for (const hex of ['7fc00000', '7f800000', 'ff800000'])
    assert.throws(
      () => decodeValue('float', Uint8Array.fromHex(hex)),
      (error) => error instanceof DecodeError && error.code === 'invalid_float',
    )
  for (const value of [Number.NaN, Infinity, 1e39]) assert.throws(() => encodeValue('float', value), RangeError)
})

test('a value the type cannot hold is refused', () => {
  const wrong: readonly [WireType, WireValue][] = [
    ['uint8', 256],
    ['uint8', -1],
    ['int8', 128],
    ['uint16', 1.5],
    ['uint32', 2 ** 32],
    ['int32', '1'],
    ['bool', 2],
    ['enum', true],
    ['float', '1'],
    ['string', 5],
    ['string', 'a\0b'],
    ['struct', 'abc'],
    ['struct', 'zz'],
  ]
  for (const [type, value] of wrong) assert.throws(() => encodeValue(type, value), RangeError, `${type} ${value}`)
})

test('a payload is decoded at its offset in a larger buffer', () => {
  const all = Uint8Array.fromHex('ffff3f000000ffff')
  assert.equal(decodeValue('float', all.subarray(2, 6)), 0.5)
})
