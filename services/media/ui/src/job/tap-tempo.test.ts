import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTap, tempoOf } from './tap-tempo.ts'

const tapped = (...moments: number[]) => moments.reduce<number[]>((taps, moment) => addTap(taps, moment), [])

test('the tempo is shown from the third tap on, and one slip does not change it', () => {
  assert.equal(tempoOf(tapped(0, 500)), undefined)
  assert.equal(tempoOf(tapped(0, 500, 1000)), 120)
  assert.equal(tempoOf(tapped(0, 500, 1000, 1490, 1700, 2500, 3000, 3500)), 120)
})

test('after a pause it starts again', () => {
  assert.deepEqual(tapped(0, 500, 1000, 9000), [9000])
  assert.equal(tapped(...Array.from({ length: 40 }, (_, n) => n * 400)).length, 12)
})
