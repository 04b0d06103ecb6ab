import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { safeNextUrl } from './next-url.ts'

test('a path of this service is kept as it is', () => {
  for (const path of ['/', '/sites', '/sites/4?tab=log#end', '/a//b', '/%2F%2Fevil.example'])
    assert.equal(safeNextUrl(path), path)
  assert.equal(safeNextUrl(undefined), '/')
})

test('a path that becomes the name of another server without its dot segments is refused', () => {
  for (const path of ['/..//evil.example', '/.//evil.example', '/a/..//evil.example', '/%2e%2e//evil.example', '/..//'])
    assert.equal(safeNextUrl(path), '/', path)
})

test('any fuzzed next URL stays on this service', () => {
  const pieces = fc.constantFrom(
    '/',
    '\\',
    '//',
    'evil.example',
    '@',
    ':',
    'https:',
    '\t',
    '\n',
    ' ',
    '.',
    '..',
    '?',
    '#',
    'a',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join('')),
        fc.string(),
      ),
      (wanted) => {
        const next = safeNextUrl(wanted)
        assert.equal(new URL(next, 'https://sites.example.org').origin, 'https://sites.example.org')
        assert.ok(next.startsWith('/'))
      },
    ),
    { numRuns: 500 },
  )
})
