import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { addPlan, forecastFrom, plansBetween, pricesFrom, replaceForecast, writePrices } from './store.ts'

const minuteMs = 60_000
const hourMs = 3_600_000

test('the plans of yesterday are kept whatever their number, and those of the days before are not', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const begin = Date.parse('2026-11-25T00:00:00Z')
  for (let at = begin; at < begin + 72 * hourMs; at += 10 * minuteMs)
    await addPlan(database.query, 'a', { madeAt: at, document: '{}' })
  const yesterday = { from: begin + 48 * hourMs, until: begin + 72 * hourMs }
  assert.equal((await plansBetween(database.query, 'a', yesterday)).length, 145, 'and the one before them')
  const before = await plansBetween(database.query, 'a', { from: begin, until: begin + 23 * hourMs })
  assert.deepEqual(before, [])
  await database.close()
})

test('prices and forecasts that are stored already are nothing new, and each difference is', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const { query } = database
  const begin = Date.parse('2026-11-25T00:00:00Z')
  const hours = (count: number, value: (hour: number) => number) =>
    Array.from({ length: count }, (_, hour) => ({
      from: begin + hour * hourMs,
      until: begin + (hour + 1) * hourMs,
      price: value(hour),
      value: value(hour),
    }))
  const day = hours(24, (hour) => 0.1 + hour / 100)
  assert.equal(await writePrices(query, day, begin), true)
  assert.equal(await writePrices(query, day, begin), false)
  // Some of them are over by now.
  assert.equal(await writePrices(query, day, begin + 3 * hourMs), false)
  assert.equal((await pricesFrom(query, begin)).length, 21)
  assert.equal(
    await writePrices(
      query,
      hours(25, (hour) => 0.1 + hour / 100),
      begin,
    ),
    true,
  )
  assert.equal(
    await writePrices(
      query,
      hours(25, (hour) => 0.1 + hour / 100 + (hour === 7 ? 1e-9 : 0)),
      begin,
    ),
    true,
  )
  assert.equal(await replaceForecast(query, day, begin), true)
  assert.equal(await replaceForecast(query, day, begin + 2 * hourMs), false)
  assert.equal(await replaceForecast(query, day.slice(0, 20), begin + 2 * hourMs), true)
  assert.equal((await forecastFrom(query, begin)).length, 18)
  await database.close()
})
