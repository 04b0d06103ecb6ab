import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchWords, tagWord } from './search-words.ts'

test('words come without case, accents and punctuation, each once', () => {
  assert.deepEqual(searchWords('Beyoncé – Déjà-Vu (déjà vu) [Official]'), ['beyonce', 'deja', 'vu', 'official'])
  assert.deepEqual(searchWords('STRASSE Straße'), ['strasse'])
  assert.deepEqual(searchWords('Мой ДОМ'), ['мои', 'дом'])
})

test('a text and its decomposed form give the same words', () => {
  for (const text of ['Ærø Łódź', '한국어 노래', 'パーティー', 'ﬁlm ①②'])
    assert.deepEqual(searchWords(text.normalize('NFD')), searchWords(text.normalize('NFC')))
})

test('characters of scripts without spaces are words', () => {
  assert.deepEqual(searchWords('夜に駆ける live'), ['夜', 'に', '駆', 'け', 'る', 'live'])
})

test('words and their number are limited, and a text of signs has none', () => {
  assert.equal(searchWords('a'.repeat(1000))[0]?.length, 48)
  assert.equal(searchWords(Array.from({ length: 500 }, (_, index) => `w${index}`).join(' ')).length, 200)
  assert.deepEqual(searchWords('"*" () -- %_\u0000'), [])
})

test('each tag has a word of its own, without spaces and signs', () => {
  const tags = ['rb', 'r&b', 'r b', 'warm up', 'warmup', 'r+b', 'été', 'ete', 'a-b', 'aŧ2dŧb']
  const words = tags.map(tagWord)
  assert.equal(new Set(words).size, tags.length)
  assert.ok(words.every((word) => /^[\p{L}\p{N}]+$/u.test(word)))
})
