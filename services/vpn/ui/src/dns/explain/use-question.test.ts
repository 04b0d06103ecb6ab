import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameIn } from './use-question.ts'

test('a name is extracted from pasted text', () => {
  const pasted = [
    ' ads.example.com ',
    'https://user@ads.example.com:8443/a?b#c',
    'ads.example.com/path',
    'ads.example.com:443',
    'Bücher.example',
    '/',
  ]
  assert.deepEqual(pasted.map(nameIn), [
    'ads.example.com',
    'ads.example.com',
    'ads.example.com',
    'ads.example.com',
    'Bücher.example',
    '/',
  ])
})
