import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftProblem, formatTime, parseTime, partProblem, tidyPart, typedPart } from './part.ts'

test('times are parsed as people write them, and formatted so that they parse again', () => {
  assert.deepEqual(
    ['62.5', '1:02.5', '1:2', '0:07,25', '1:01:02', '90', ' 3:00 '].map(parseTime),
    [62.5, 62.5, 62, 7.25, 3662, 90, 180],
  )
  for (const text of ['', 'x', '1:60', '1:75:00', '-3', '1:', ':30', '1.2345'])
    assert.equal(parseTime(text), undefined, text)
  for (const seconds of [0, 0.5, 62.5, 3599.9996, 3662.001]) {
    const text = formatTime(seconds)
    assert.equal(parseTime(text), Math.round(seconds * 1000) / 1000, text)
  }
  assert.equal(formatTime(62.5), '1:02.500')
  assert.equal(formatTime(3662.001), '1:01:02.001')
})

test('a trim is one second to ten minutes long and within the audio', () => {
  assert.match(partProblem({ start: 5, end: 5 }, 100) ?? '', /after the start/)
  assert.match(partProblem({ start: 5, end: 5.9 }, 100) ?? '', /1 second/)
  assert.match(partProblem({ start: 0, end: 601 }, 1000) ?? '', /10 minutes/)
  assert.match(partProblem({ start: 90, end: 101 }, 100) ?? '', /ends at 1:40\.000/)
  assert.equal(partProblem({ start: 0, end: 600 }, 600), undefined)
})

test('a trim dragged backwards or beyond the audio is corrected', () => {
  assert.deepEqual(tidyPart({ start: 20, end: 3.000_4 }, 100), { start: 3, end: 20 })
  assert.deepEqual(tidyPart({ start: -2, end: 130 }, 100), { start: 0, end: 100 })
})

test('a typed end stays as typed: nothing is swapped or moved', () => {
  assert.deepEqual(typedPart({ start: 2, end: 5 }, { start: 9 }, 12), { start: 9, end: 5 })
  assert.deepEqual(typedPart({ start: 2, end: 5 }, { end: 99 }, 12), { start: 2, end: 99 })
  assert.deepEqual(typedPart(undefined, { start: 3 }, 12), { start: 3, end: 12 })
  assert.deepEqual(typedPart(undefined, { start: 3 }, 100), { start: 3, end: 33 })
  assert.deepEqual(typedPart(undefined, { end: 7.000_4 }, 12), { start: 0, end: 7 })
})

test('an invalid typed time is reported with its field’s name', () => {
  assert.equal(draftProblem('From', undefined), undefined)
  assert.equal(draftProblem('From', '1:02'), undefined)
  assert.equal(draftProblem('From', '0:99'), '“From” is not a time: write it like 1:02.5')
  assert.equal(draftProblem('To', ' '), '“To” is empty')
})
