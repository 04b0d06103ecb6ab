import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { slotMs, type Slot } from '../quantities.ts'
import { distribute } from './distribute.ts'
import { SlotMeter, type MeterReading } from './slot-meter.ts'

const begin = 6_000_000 * slotMs
const half = 30_000

/** A house whose powers are constant, so that its counters follow from the time. */
const powers = { pv_w: 2400, load_w: 600, grid_w: -1200, battery_w: -600, soc: 0.5 }

const countersAt = (at: number, offset = 0): MeterReading['counters'] => {
  const energy = (watts: number) => offset + 1000 + (watts * (at - begin)) / 3_600_000
  return {
    pv_wh: { a: energy(1200), b: energy(1200) },
    load_wh: { load: energy(600) },
    import_wh: { in: offset + 500 },
    export_wh: { out: -energy(1200) },
    charge_wh: { in: energy(600) },
    discharge_wh: { out: offset + 70 },
  }
}

/** Lets a meter run from one time to another, a sample every half minute. */
function run(meter: SlotMeter, from: number, until: number, counters = countersAt): Slot[] {
  const slots: Slot[] = []
  for (let at = from; at < until; at += half)
    if (meter.add(at, powers)) slots.push(...meter.close({ at, counters: counters(at) }))
  return slots
}

const sum = (slots: readonly Slot[], name: 'load_wh' | 'pv_wh') =>
  slots.reduce((total, slot) => total + (slot[name] ?? 0), 0)

test('slots hold what the counters say and the means of the powers', () => {
  const meter = new SlotMeter(undefined)
  const slots = run(meter, begin + 100_000, begin + 10 * slotMs + half)
  assert.equal(slots.length, 10)
  assert.deepEqual(slots[4], {
    slot: 6_000_004,
    pv_wh: 200,
    load_wh: 50,
    import_wh: 0,
    export_wh: 100,
    charge_wh: 50,
    discharge_wh: 0,
    pv_w: 2400,
    load_w: 600,
    grid_w: -1200,
    battery_w: -600,
    soc: 500,
    source: 0,
  })
})

test('a gap loses no energy: its slots share what the counters say, and are marked', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.boolean(), (gapSlots, isRestarted) => {
      const first = new SlotMeter(undefined)
      const before = run(first, begin, begin + 3 * slotMs + half)
      const meter = isRestarted ? new SlotMeter(structuredClone(first.state)) : first
      const from = begin + (3 + gapSlots) * slotMs
      const end = from + 3 * slotMs + half
      const after = run(meter, from, end)
      const all = [...before, ...after]
      assert.deepEqual(
        all.map(({ slot }) => slot),
        Array.from({ length: all.length }, (_, index) => 6_000_000 + index),
      )
      assert.ok(Math.abs(sum(all, 'load_wh') - (600 * (end - begin)) / 3_600_000) <= 6)
      const counted = after.filter(({ source }) => source === 2)
      assert.ok(Math.abs(counted.length - gapSlots) <= 1, `${counted.length} of ${gapSlots}`)
      assert.ok(counted.every(({ load_w, soc }) => load_w === null && soc === null))
    }),
    { numRuns: 40 },
  )
})

test('counters that begin again, or jump for a moment, do not show in the energies', () => {
  fc.assert(
    fc.property(fc.constantFrom(-900, -200, 5_000_000), fc.integer({ min: 1, max: 40 }), (offset, lasts) => {
      const meter = new SlotMeter(undefined)
      const from = begin + 4 * slotMs
      const counters = (at: number) => {
        const isOff = at >= from && at < from + lasts * slotMs
        return countersAt(at, isOff ? offset : 0)
      }
      const end = begin + 50 * slotMs + half
      const slots = run(meter, begin, end, counters)
      const real = (600 * (end - begin)) / 3_600_000
      assert.ok(Math.abs(sum(slots, 'load_wh') - real) <= 0.15 * real, `${sum(slots, 'load_wh')} of ${real}`)
      assert.ok(slots.every(({ load_wh }) => load_wh !== null && load_wh >= 0))
    }),
    { numRuns: 60 },
  )
})

test('a clock that is put back repeats no slot, and an energy without counters is measured by its power', () => {
  const meter = new SlotMeter(undefined)
  const first = run(meter, begin, begin + 4 * slotMs + half)
  const again = run(meter, begin + 2 * slotMs, begin + 5 * slotMs + half)
  assert.deepEqual(
    [...first, ...again].map(({ slot }) => slot).filter((slot, index, all) => all.indexOf(slot) < index),
    [],
  )
  const day = 288 * slotMs
  assert.ok(run(meter, begin - day, begin - day + 3 * slotMs).length >= 1)
  const bare = new SlotMeter(undefined)
  const slots = run(bare, begin, begin + 3 * slotMs + half, () => ({}))
  assert.deepEqual([slots[1]?.load_wh, slots[1]?.discharge_wh], [50, 0])
})

test('what is divided is the sum of its parts, and none is below zero', () => {
  const part = fc.option(fc.double({ min: 0, max: 500, noNaN: true }))
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.array(part, { minLength: 1, maxLength: 300 }),
      (total, parts) => {
        const divided = distribute(total, parts)
        assert.equal(divided.length, parts.length)
        assert.equal(
          divided.reduce((sum, value) => sum + value, 0),
          total,
        )
        assert.ok(divided.every((value) => value >= 0 && Number.isInteger(value)))
      },
    ),
  )
  assert.deepEqual(distribute(100, [10, null, null]), [10, 45, 45])
  assert.deepEqual(distribute(100, [30, 10]), [75, 25])
  assert.deepEqual(distribute(9, [0, 0, 0]), [3, 3, 3])
  assert.deepEqual(distribute(2, [0, 5e-324]), [1, 1])
})
