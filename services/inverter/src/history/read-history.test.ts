import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { openStorage } from '../database/open.ts'
import { LocalDays } from './local-days.ts'
import { noEnergies, noPowers, slotAt, type Slot } from './quantities.ts'
import { readHistory } from './read-history.ts'
import type { Period } from './schema.ts'
import { addMeter, deleteOld, meterOf, writeSlots } from './store.ts'

const days = new LocalDays('Europe/Berlin')

/** A database with whole days of one watt-hour for each slot, and what reads it at a time. */
async function openWith(dates: readonly string[], now: number) {
  const folder = await temporaryDirectory('history')
  const { database } = await openStorage({ dataDirectory: folder.path, hmacSecret: undefined })
  const meter = await addMeter(database.query, 'main')
  for (const date of dates) {
    const { from, until } = days.on(date)
    const slots = Array.from({ length: slotAt(until) - slotAt(from) }, (_, index): Slot =>
      Object.assign({}, noEnergies, noPowers, { slot: slotAt(from) + index, load_wh: 1, soc: 500, source: 0 }),
    )
    await writeSlots(database.query, { meter, slots, days, change: { capacity_wh: 9000 } })
  }
  return {
    db: database.query,
    read: async (period: Period, date: string) =>
      readHistory(
        { db: database.query, days, now, meter: await meterOf(database.query, 'main') },
        { deviceId: 'main', period, date },
      ),
    async [Symbol.asyncDispose]() {
      await database.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

test('a day has all of its slots, also when the clocks change, and none is zero that is not known', async () => {
  await using storage = await openWith(['2027-03-28', '2027-10-31'], Date.UTC(2027, 11, 1))
  for (const [date, slots] of [
    ['2027-03-28', 276],
    ['2027-10-31', 300],
  ] as const) {
    const { buckets, balance, from, until } = await storage.read('day', date)
    assert.deepEqual([buckets.length, balance.load_wh, balance.known], [slots, slots, 1])
    assert.equal((Date.parse(until) - Date.parse(from)) / 300_000, slots)
    assert.equal(new Set(buckets.map(({ start }) => start)).size, slots)
    assert.ok(buckets.every((bucket) => bucket.date === date))
  }
  const empty = await storage.read('day', '2027-05-05')
  assert.deepEqual([empty.buckets.length, empty.balance.load_wh, empty.balance.known], [288, null, 0])
  assert.ok(empty.buckets.every(({ load_wh, source, known }) => load_wh === null && source === null && known === 0))
  const before = await storage.read('month', '2020-02-15')
  assert.deepEqual([before.buckets.length, before.balance.load_wh, before.balance.known], [29, null, 0])
})

test('months and years are the sums of their days, with the share of the time that is known', async () => {
  const dates = ['2027-03-27', '2027-03-28', '2027-04-01', '2028-01-01']
  await using storage = await openWith(dates, days.on('2028-01-02').from)
  const march = await storage.read('month', '2027-03-10')
  assert.deepEqual([march.buckets.length, march.balance.load_wh], [31, 288 + 276])
  const year = await storage.read('year', '2027-07-01')
  assert.deepEqual(year.buckets.map(({ load_wh }) => load_wh).slice(0, 5), [null, null, 564, 288, null])
  assert.equal(year.balance.load_wh, 852)
  // From the first slot to the end of the year.
  const whole = (days.on('2028-01-01').from - days.on('2027-03-27').from) / 300_000
  assert.equal(year.balance.known, Math.round((852 / whole) * 1000) / 1000)
  const total = await storage.read('total', '2028-01-01')
  assert.deepEqual(
    total.buckets.map(({ date, load_wh }) => [date, load_wh]),
    [
      ['2027-01-01', 852],
      ['2028-01-01', 288],
    ],
  )
  assert.equal(total.first_date, '2027-03-27')
})

test('a day whose five minutes are not kept any more is shown in hours', async () => {
  await using storage = await openWith(['2027-03-28', '2027-06-01'], Date.UTC(2027, 6, 1))
  await deleteOld(storage.db, { slot: slotAt(days.on('2027-06-01').from), hour: 0, day: '2000-01-01' })
  const { resolution, buckets, balance } = await storage.read('day', '2027-03-28')
  assert.deepEqual([resolution, buckets.length, balance.load_wh], ['hour', 23, 276])
  assert.equal(buckets[0]?.load_wh, 12)
  assert.equal((await storage.read('day', '2027-06-01')).resolution, 'five_minutes')
})
