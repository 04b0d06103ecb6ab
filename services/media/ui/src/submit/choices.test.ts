import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChoices } from './choices.ts'

test('any stored text yields a valid choice', () => {
  assert.deepEqual(readChoices('{"type":"video","quality":"small"}'), { type: 'video', quality: 'small' })
  for (const text of [undefined, '', 'null', '[]', '{"type":"sound","quality":9}', '{'])
    assert.deepEqual(readChoices(text), { type: 'audio', quality: 'max' }, String(text))
})
