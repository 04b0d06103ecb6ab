import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEnd } from './share.ts'

const now = Date.UTC(2026, 10, 28, 12)

test('an end is a number of days, a time with its zone, or never', () => {
  assert.equal(readEnd('7d', now), '2026-12-05T12:00:00.000Z')
  assert.equal(readEnd('2027-01-31T18:00Z', now), '2027-01-31T18:00:00.000Z')
  assert.equal(readEnd('2027-01-31T18:00:30+02:00', now), '2027-01-31T16:00:30.000Z')
  assert.equal(readEnd('never', now), null)
  for (const text of ['', '7', '7h', '-1d', 'tomorrow', '2027-01-31', '2027-01-31T18:00', '2027-13-31T18:00Z'])
    assert.throws(() => readEnd(text, now), /^OperatorError: --ends|--ends/, text)
})
