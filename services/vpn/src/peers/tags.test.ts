import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areDistinct, countTags, tagColumns, tagsOf, withoutTag, withTag } from './tags.ts'

test('tags are kept in order, with a key each that is found whole', () => {
  const columns = tagColumns(['Kids', 'Élan', 'family'])
  assert.deepEqual(tagsOf(columns), ['family', 'Kids', 'Élan'])
  assert.equal(columns.tag_keys, '\nfamily\nkids\nélan\n')
  assert.equal(tagColumns([]).tag_keys, '')
})

test('a tag is added and removed in whatever case it is written', () => {
  assert.deepEqual(withTag(['Kids'], 'KIDS'), ['Kids'])
  assert.deepEqual(withTag(['Kids'], 'guests'), ['Kids', 'guests'])
  assert.deepEqual(withoutTag(['Kids', 'guests'], 'kids'), ['guests'])
  assert.equal(areDistinct(['Kids', 'kids']), false)
  assert.equal(areDistinct(['ﬁ', 'fi']), false)
})

test('counts add up over spellings, and the most usual one is shown', () => {
  const group = (count: number, ...tags: string[]) => ({ tags: JSON.stringify(tags), count })
  assert.deepEqual(countTags([group(2, 'kids'), group(3, 'Kids', 'guests'), group(1, 'KIDS'), group(9)]), [
    { tag: 'guests', peers: 3 },
    { tag: 'Kids', peers: 6 },
  ])
})
