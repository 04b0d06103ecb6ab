import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scaleTop, sparkPath } from './spark-path.ts'

const box = { width: 100, height: 10, slots: 11 }

test('a line ends at the right edge and stays in its box', () => {
  const line = sparkPath([0, 50, 100], box, 100)
  assert.equal(line.path, 'M80 10L90 5L100 0')
  assert.equal(line.area, 'M80 10L90 5L100 0L100 10L80 10Z')
  assert.equal(sparkPath([0, 999], box, 100).path, 'M90 10L100 0')
})

test('a single value draws no line', () => {
  assert.equal(sparkPath([5], box, 100).path, '')
})

test('the scale is the next power of two', () => {
  assert.equal(scaleTop([]), 1024)
  assert.equal(scaleTop([1025]), 2048)
  assert.equal(scaleTop([2048]), 2048)
})
