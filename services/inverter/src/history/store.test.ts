import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { openStorage } from '../database/open.ts'
import { LocalDays } from './local-days.ts'
import { noEnergies, noPowers, slotAt, type Slot } from './quantities.ts'
import * as store from './store.ts'

const days = new LocalDays('Europe/Berlin')
const [gateway, logger, counter] = [0, 1, 2]

const slotOf = (slot: number, load: number, source: number): Slot =>
  Object.assign({}, noEnergies, noPowers, { slot, load_wh: load, soc: null, source })

async function open() {
  const folder = await temporaryDirectory('history')
  const { database } = await openStorage({ dataDirectory: folder.path, hmacSecret: undefined })
  return {
    db: database.query,
    async [Symbol.asyncDispose]() {
      await database.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

test('a slot replaces one of a worse source and no other, and hours and days follow', async () => {
  await using storage = await open()
  const { db } = storage
  const meter = await store.addMeter(db, 'main')
  const write = (...slots: Slot[]) => store.writeSlots(db, { meter, slots, days, change: {} })
  const day = days.on('2027-03-28')
  const first = slotAt(day.from)
  await write(slotOf(first, 10, counter), slotOf(first + 1, 20, gateway))
  await write(slotOf(first, 11, logger), slotOf(first + 1, 99, logger), slotOf(first + 12, 5, logger))
  await write(slotOf(first, 77, counter))
  const rows = await store.slotRows(db, meter.number, { from: first, until: first + 20 })
  assert.deepEqual(
    rows.map(({ slot, load_wh, source }) => [slot - first, load_wh, source]),
    [
      [0, 11, logger],
      [1, 20, gateway],
      [12, 5, logger],
    ],
  )
  const [stored] = await store.dayRows(db, meter.number, { from: day.date, until: '2027-03-29' })
  assert.deepEqual([stored?.load_wh, stored?.from_gateway, stored?.from_logger, stored?.from_counter], [36, 1, 2, 0])
  assert.equal(stored?.pv_wh, null)
  const hours = await store.hourRows(db, meter.number, {
    from: Math.floor(first / 12),
    until: Math.floor(first / 12) + 3,
  })
  assert.deepEqual(
    hours.map(({ load_wh }) => load_wh),
    [31, 5],
  )
})

test('a day with a clock change is the sum of its 23 or 25 hours', async () => {
  await using storage = await open()
  const { db } = storage
  const meter = await store.addMeter(db, 'main')
  for (const [date, hours] of [
    ['2027-03-28', 23],
    ['2027-10-31', 25],
  ] as const) {
    const { from, until } = days.on(date)
    const first = slotAt(from - 3_600_000)
    const slots = Array.from({ length: slotAt(until + 3_600_000) - first }, (_, index) =>
      slotOf(first + index, 1, gateway),
    )
    await store.writeSlots(db, { meter, slots, days, change: {} })
    const [day] = await store.dayRows(db, meter.number, { from: date, until: `${date}z` })
    assert.equal(day?.load_wh, hours * 12, date)
  }
})

test('what is too old is deleted, of slots, hours and days each at their own time', async () => {
  await using storage = await open()
  const { db } = storage
  const meter = await store.addMeter(db, 'main')
  const first = slotAt(days.on('2027-01-01').from)
  const slots = Array.from({ length: 10 * 288 }, (_, index) => slotOf(first + index, 1, gateway))
  await store.writeSlots(db, { meter, slots, days, change: { capacity_wh: 5000 } })
  const kept = slotAt(days.on('2027-01-09').from)
  await store.deleteOld(db, { slot: kept, hour: slotAt(days.on('2027-01-03').from) / 12, day: '2027-01-02' })
  assert.equal((await store.extentOf(db, meter.number)).count, 2 * 288)
  assert.equal((await store.hourRows(db, meter.number, { from: 0, until: 1e9 })).length, 8 * 24)
  assert.equal((await store.dayRows(db, meter.number, { from: '2020', until: '2030' })).length, 9)
  assert.equal((await store.meterOf(db, 'main'))?.capacity_wh, 5000)
  await store.deleteMeter(db, 'main')
  assert.equal(await store.meterOf(db, 'main'), undefined)
  assert.equal((await store.extentOf(db, meter.number)).count, 0)
})
