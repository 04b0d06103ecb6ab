import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blankDraft } from '../editor/blank-draft.ts'
import { nameOfField, textOfValue } from './field-names.ts'
import { notableFields } from './notable-fields.ts'

test('members are named for people, rows counted from one', () => {
  assert.equal(nameOfField('upstreams.0.url'), 'Servers 1 › Address')
  assert.equal(nameOfField('tls.mode'), 'TLS › Certificate')
  assert.equal(nameOfField('something_new'), 'Something new')
})

test('values are shown as words, and nothing as a dash', () => {
  assert.deepEqual([undefined, true, [], ['a', 'b'], { a: 1 }].map(textOfValue), ['–', 'on', 'none', 'a, b', '{"a":1}'])
})

test('of a new site only what is not as in every site is told', () => {
  const fields = [
    { field: 'site_name', after: 'Shop' },
    { field: 'lb', after: blankDraft.lb },
    { field: 'compression', after: 'gzip' },
    { field: 'hsts', after: null },
  ]
  assert.deepEqual(
    notableFields({ change: 'added', fields }).map(({ field }) => field),
    ['site_name', 'compression'],
  )
  assert.equal(notableFields({ change: 'changed', fields }).length, 4)
})
