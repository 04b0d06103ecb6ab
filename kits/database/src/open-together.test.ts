import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runConcurrently, temporaryDirectory } from '@hearth/testing'

/** Opens a new database in each of several files at agreed times and creates its tables. */
const opening = `
import { setTimeout as wait } from 'node:timers/promises'
import { migrate, openDatabase } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))}
const [folder, begin] = process.argv.slice(1)
const up = (db) => db.schema.createTable('owners').addColumn('id', 'text').execute()
for (let index = 0; index < 12; index++) {
  await wait(Math.max(1, Number(begin) + index * 100 - Date.now()))
  const database = openDatabase({ file: folder + '/' + index })
  await migrate(database.query, { '0001-initial': { up } })
  await database.close()
}`

test('processes that open a new database at the same time can all use it', async () => {
  await using folder = await temporaryDirectory()
  const ends = await runConcurrently(opening, { folder: folder.path, processes: 3, startMs: 1500 })
  for (const { code, errors: complaint } of ends) assert.deepEqual([code, complaint], [0, ''])
})
