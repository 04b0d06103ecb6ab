import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '@hearth/database'
import { z } from 'zod'
import { readSettingRows, settingsOf, writeSettingRows } from './setting-rows.ts'

const Settings = z.object({ name: z.string(), count: z.int().min(1) })
const defaults = { name: 'unnamed', count: 1 }

test('stored settings are read back, and a missing or invalid one has its default', async () => {
  const database = openDatabase<{ settings: { name: string; value: string } }>({ file: ':memory:' })
  await database.query.schema
    .createTable('settings')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text')
    .execute()
  const read = async () => settingsOf(await readSettingRows(database.query), Settings.shape, defaults)
  assert.deepEqual(await read(), defaults)
  await writeSettingRows(database.query, new Map())
  await writeSettingRows(
    database.query,
    new Map([
      ['name', '"first"'],
      ['count', '7'],
    ]),
  )
  await writeSettingRows(database.query, new Map([['name', '"second"']]))
  assert.deepEqual(await read(), { name: 'second', count: 7 })
  await writeSettingRows(database.query, new Map([['count', '0']]))
  assert.deepEqual(await read(), { name: 'second', count: 1 })
  await database.close()
})
