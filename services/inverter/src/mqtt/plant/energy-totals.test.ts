import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { migrations } from '../../database/migrations/index.ts'
import type { Tables } from '../../tables.ts'
import { openEnergyTotals } from './energy-totals.ts'

test('no energy of the plant falls or jumps: an inverter joins, goes away, comes back and leaves, with a restart between', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const totals = await openEnergyTotals(database.query)
  assert.equal(totals.add('pv_wh', 'a', 5_000_000), 0)
  // What it counted before it joined is no energy of the plant.
  assert.equal(totals.add('pv_wh', 'b', 9_000_000), 0)
  assert.equal(totals.add('pv_wh', 'a', 5_000_300), 300)
  // b is away; a goes on.
  assert.equal(totals.add('pv_wh', 'a', 5_000_500), 500)
  // What b produced meanwhile comes when it is back.
  assert.equal(totals.add('pv_wh', 'b', 9_001_000), 1500)
  await totals.store()
  const again = await openEnergyTotals(database.query)
  assert.equal(again.get('pv_wh'), 1500)
  assert.equal(again.add('pv_wh', 'b', 9_001_100), 1600)
  again.keepOnly((id) => id === 'a')
  assert.equal(again.get('pv_wh'), 1600)
  // It joins again, long after.
  assert.equal(again.add('pv_wh', 'b', 9_900_000), 1600)
  assert.equal(again.get('import_wh'), undefined)
  // Another inverter counts the grid for a time.
  again.add('import_wh', 'a', 1000)
  assert.equal(again.add('import_wh', 'a', 1500), 500)
  again.keepOnly((id, name) => name !== 'import_wh' || id === 'b')
  again.add('import_wh', 'b', 7000)
  assert.equal(again.add('import_wh', 'b', 7400), 900)
  again.keepOnly((id, name) => name !== 'import_wh' || id === 'a')
  assert.equal(again.add('import_wh', 'a', 1900), 900, 'what b counted is not counted again')
  await database.close()
})
