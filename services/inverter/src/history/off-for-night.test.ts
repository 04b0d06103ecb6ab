import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { LocalDays } from './local-days.ts'
import { isOffForNight } from './off-for-night.ts'
import { noEnergies, slotAt, startOfSlot, type Slot } from './quantities.ts'
import { addMeter, writeSlots } from './store.ts'

const days = new LocalDays('UTC')
const at = (time: string): number => Date.parse(`2026-11-${time}:00Z`)

/** Five minutes of panels that the sun reaches from 8 to 17 o'clock. */
function slotOf(slot: number, source: number): Slot {
  const hour = new Date(startOfSlot(slot)).getUTCHours()
  const watts = hour < 8 || hour >= 17 ? 0 : hour === 16 ? 90 : 3000
  const powers = { pv_w: source === 0 ? watts : null, load_w: null, grid_w: null, battery_w: null }
  return { ...noEnergies, ...powers, pv_wh: Math.round(watts / 12), slot, soc: source === 0 ? 0 : null, source }
}

/** An inverter that was measured until a time, and of whose nights the counters say that nothing flowed. */
async function measuredUntil(time: string, first = '08T00:00') {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const meter = await addMeter(database.query, 'roof')
  const count = slotAt(at(time)) - slotAt(at(first))
  const slots = Array.from({ length: count }, (_, index) => {
    const slot = slotAt(at(first)) + index
    const hour = new Date(startOfSlot(slot)).getUTCHours()
    return slotOf(slot, hour >= 8 && hour < 17 ? 0 : 2)
  })
  await writeSlots(database.query, { meter, slots, days, change: {} })
  return {
    isOff: (now: string, capacity: number | null = null) =>
      isOffForNight(database.query, { ...meter, capacity_wh: capacity }, at(now)),
    [Symbol.asyncDispose]: () => database.close(),
  }
}

test('an inverter without a battery is off for the night from dusk to the hour at which it has come back before', async () => {
  await using roof = await measuredUntil('10T17:00')
  assert.equal(await roof.isOff('10T17:20'), true)
  assert.equal(await roof.isOff('11T04:00'), true)
  assert.equal(await roof.isOff('11T07:45'), true)
  assert.equal(await roof.isOff('11T08:30'), false, 'the sun is up, and it is not there')
  assert.equal(await roof.isOff('12T04:00'), false, 'it did not come back at all')
  assert.equal(await roof.isOff('10T20:00', 9600), false, 'one with a battery stays on')
})

test('an inverter that fell silent in the sun, or of which no night is known, is away', async () => {
  await using broken = await measuredUntil('10T12:00')
  assert.equal(await broken.isOff('10T12:30'), false)
  assert.equal(await broken.isOff('10T20:00'), false)
  await using fresh = await measuredUntil('10T17:00', '10T09:00')
  assert.equal(await fresh.isOff('10T20:00'), false)
})
