import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { openDatabase } from './index.ts'

test(
  'a connection that the server ends during a transaction fails that transaction and nothing else',
  { skip: postgresObstacle() },
  async () => {
    const database = openDatabase<unknown>({ url: await createPostgresDatabase() })
    try {
      const failed = database.query.transaction().execute(async (trx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
        await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.query)
        await sql`select 1`.execute(trx)
      })
      await assert.rejects(failed)
      const { rows } = await sql<{ answer: number }>`select 42 as answer`.execute(database.query)
      assert.deepEqual(rows, [{ answer: 42 }])
    } finally {
      await database.close()
    }
  },
)
