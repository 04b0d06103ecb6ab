import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accentFrom, contrast } from './accent.ts'

const darkSurfaces = ['#171512', '#211f1b', '#282520']

test('contrast is 21 for black on white and 1 for the same colour', () => {
  assert.equal(Math.round(contrast('#000000', '#ffffff') * 100) / 100, 21)
  assert.equal(contrast('#a04020', '#a04020'), 1)
})

test('every hue gives an accent colour whose text meets WCAG AA in both colour schemes', () => {
  for (let hue = 0; hue < 360; hue += 5) {
    const accent = accentFrom(hue)
    assert.equal(accent.length, 10)
    for (const shade of accent) assert.match(shade, /^#[\da-f]{6}$/)
    assert.ok(contrast('#ffffff', accent[7]) >= 4.5, `white on a button, hue ${hue}`)
    assert.ok(contrast(accent[8], '#ffffff') >= 4.5, `text on white, hue ${hue}`)
    assert.ok(contrast(accent[8], accent[1]) >= 4.5, `text on the soft accent, hue ${hue}`)
    for (const surface of darkSurfaces) assert.ok(contrast(accent[3], surface) >= 4.5, `text on ${surface}, hue ${hue}`)
  }
})

test('shades go from light to dark', () => {
  const accent = accentFrom(42)
  const againstWhite = accent.map((shade) => contrast(shade, '#ffffff'))
  assert.deepEqual(
    againstWhite,
    againstWhite.toSorted((a, b) => a - b),
  )
})
