import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'

/** Opens a new database in each of some files at agreed moments and makes its tables. */
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

test('processes that open a new database together all find it usable', async () => {
  await using folder = await temporaryDirectory()
  const begin = String(Date.now() + 1500)
  const children = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', opening, folder.path, begin], {
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  )
  const ends = children.map(async (child) => {
    const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    return { code: code as number, complaint }
  })
  for (const { code, complaint } of await Promise.all(ends)) assert.deepEqual([code, complaint], [0, ''])
})
