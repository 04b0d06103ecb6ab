import assert from 'node:assert/strict'
import { test } from 'node:test'
import { impossibleTimes } from '@hearth/testing'
import { IsoTime, parseIsoTime } from './iso-time.ts'

const noon = Date.UTC(2031, 1, 28, 12)

test('every common spelling of a date is parsed to the same time', () => {
  for (const text of [
    '2031-02-28T12:00:00Z',
    '2031-02-28t12:00z',
    '2031-02-28T12:00:00.000Z',
    '2031-02-28T12:00:00,0Z',
    '2031-02-28T14:00:00+02:00',
    '2031-02-28T14:00+02',
    '2031-02-28T06:30:00-0530',
    '2031-03-01T11:59:00+23:59',
  ])
    assert.equal(parseIsoTime(text), noon, text)
  assert.equal(parseIsoTime('2031-02-28T12:00:00.1239Z'), noon + 123)
  assert.equal(parseIsoTime('2032-02-29T00:00:00Z'), Date.UTC(2032, 1, 29))
  assert.equal(parseIsoTime('2000-02-29T23:59:59Z'), Date.UTC(2000, 1, 29, 23, 59, 59))
  assert.equal(parseIsoTime('0099-12-31T00:00:00Z'), Date.parse('0099-12-31T00:00:00Z'))
})

test('a date that does not exist is refused', () => {
  for (const text of impossibleTimes) {
    assert.equal(parseIsoTime(text), undefined, text)
    assert.equal(parseIsoTime(text, { withoutOffset: true, dateOnly: true }), undefined, text)
    assert.equal(IsoTime.safeParse(text).success, false, text)
  }
})

test('a date without offset or time of day is accepted only where enabled', () => {
  assert.equal(parseIsoTime('2031-02-28T12:00:00'), undefined)
  assert.equal(parseIsoTime('2031-02-28'), undefined)
  assert.equal(parseIsoTime('2031-02-28T12:00:00', { withoutOffset: true }), noon)
  assert.equal(parseIsoTime('2031-02-28', { dateOnly: true }), Date.UTC(2031, 1, 28))
  assert.equal(parseIsoTime('2031-02-28T12:00:00', { dateOnly: true }), undefined)
})
