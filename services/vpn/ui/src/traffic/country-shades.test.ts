import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shadeOf } from './country-shades.ts'
import { countryDots, countryShapes } from './world.gen.ts'

test('each order of magnitude is a shade lighter, and zero has none', () => {
  assert.deepEqual(
    [0, 1, 200, 2000, 20_000, 200_000, 1_000_000].map((bytes) => shadeOf(bytes, 1_000_000)),
    [0, 1, 2, 3, 4, 5, 5],
  )
})

test('the map has every country once, small ones as dots', () => {
  const codes = [...countryShapes, ...countryDots].map(([code]) => code).filter((code) => code !== '')
  assert.equal(new Set(codes).size, codes.length)
  for (const code of ['US', 'DE', 'FR', 'NO', 'CN', 'BR', 'ZA', 'AU', 'SG', 'HK', 'XK', 'TW'])
    assert.ok(codes.includes(code), code)
})
