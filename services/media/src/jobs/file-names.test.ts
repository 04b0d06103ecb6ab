import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { fileTitle } from './file-names.ts'

/** The title cut character by character, also where all of it fits. */
function cutTitle(title: string, max: number, bytes: number): string {
  let text = ''
  for (const [index, { segment }] of [...new Intl.Segmenter().segment(title)].entries()) {
    if (index === max || Buffer.byteLength(text + segment) > bytes) break
    text += segment
  }
  return text.replaceAll(/^[.\s-]+|[.\s]+$/g, '') || 'media'
}

const character = fc.constantFrom('a', '-', '.', 'ö', 'o\u0308', '日', '🎧', '👍🏽', '🇩🇪', '\ud83c')

test('a title of any length is cut between characters, at the limit that comes first', () => {
  fc.assert(
    fc.property(
      fc.array(character, { maxLength: 20 }).map((characters) => characters.join('')),
      fc.integer({ min: 1, max: 24 }),
      fc.integer({ min: 1, max: 60 }),
      (title, max, bytes) => {
        assert.equal(fileTitle(title, max, bytes), cutTitle(title.toWellFormed(), max, bytes))
      },
    ),
    { numRuns: 2000 },
  )
})

test('a title with half a character makes a name that a header can have', () => {
  assert.equal(fileTitle('a\ud800b'), 'a\ufffdb')
  assert.doesNotThrow(() => encodeURIComponent(fileTitle('\udc00')))
})
