import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { isDiskFull, openDatabase } from './index.ts'

test('a transaction on a full disk fails with the error of the disk, changes nothing, and the next one works', async () => {
  const database = openDatabase<{ texts: { text: string } }>({ file: ':memory:' })
  const db = database.query
  await sql`create table texts (text text)`.execute(db)
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
  await sql`pragma max_page_count = ${sql.lit(rows[0]?.page_count ?? 0)}`.execute(db)
  const fill = db.transaction().execute(async (trx) => {
    for (let index = 0; index < 20; index += 1)
      await trx
        .insertInto('texts')
        .values({ text: 'x'.repeat(1000) })
        .execute()
  })
  await assert.rejects(fill, isDiskFull)
  assert.deepEqual(await db.selectFrom('texts').selectAll().execute(), [])
  await sql`pragma max_page_count = 1000000`.execute(db)
  const failing = db.transaction().execute(async (trx) => {
    await trx.insertInto('texts').values({ text: 'two' }).execute()
    throw new Error('changed my mind')
  })
  await assert.rejects(failing, (error: Error) => error.message === 'changed my mind' && !isDiskFull(error))
  await db.transaction().execute((trx) => trx.insertInto('texts').values({ text: 'one' }).execute())
  assert.deepEqual(
    (await db.selectFrom('texts').selectAll().execute()).map(({ text }) => text),
    ['one'],
  )
  await database.close()
})
