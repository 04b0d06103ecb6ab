import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { count, counterKind, type CounterState } from './counter.ts'

const total = counterKind('energy_e_load_total', 'Wh')
const day = counterKind('energy_e_load_day', 'Wh')
const start = 1_800_000_000_000

/** Published values of readings that come every 30 seconds. */
function published(readings: readonly number[], kind = total): number[] {
  let state: CounterState | undefined
  return readings.map((reading, index) => {
    state = count(state, { value: reading, at: start + index * 30_000 }, kind)
    return state.value
  })
}

const repeated = (value: number, times: number) => Array.from({ length: times }, () => value)

test('a counter follows the inverter, whatever its sign', () => {
  assert.deepEqual(published([1000, 1010, 1010, 1025]), [1000, 1010, 1010, 1025])
  assert.deepEqual(published([-1000, -1010]), [1000, 1010])
})

test('a single wrong reading changes nothing, up or down', () => {
  assert.deepEqual(published([1000, 0, 1010]), [1000, 1000, 1010])
  assert.deepEqual(published([1000, 3e38, 1010]), [1000, 1000, 1010])
})

test('a total goes on from where it was when the inverter counts from zero', () => {
  const values = published([1000, ...repeated(0, 20), 15])
  assert.equal(Math.min(...values), 1000)
  assert.equal(values.at(-1), 1015)
})

test('a counter of a day starts again once the inverter has stayed with it', () => {
  const values = published([9000, ...repeated(2, 9), ...repeated(4, 3)], day)
  assert.deepEqual(values.slice(0, 5), repeated(9000, 5))
  assert.equal(values.at(-1), 4)
})

test('a jump that lasts is believed', () => {
  assert.equal(published([1000, ...repeated(900_000, 12)]).at(-1), 900_000)
})

test('after an outage the growth of that time is plausible', () => {
  const before = count(undefined, { value: 1000, at: start }, total)
  assert.equal(count(before, { value: 200_000, at: start + 3 * 3_600_000 }, total).value, 200_000)
})

test('a total never falls, whatever is read', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { maxLength: 60 }), (readings) => {
      const values = published(readings)
      for (const [index, value] of values.entries()) if (index > 0) assert.ok(value >= (values[index - 1] ?? 0))
    }),
  )
})
