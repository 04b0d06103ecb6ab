import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase, type Migrations } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import type { Tables } from '../../tables.ts'
import { migrations } from './index.ts'

const earlier: Migrations = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0005'))

for (const [kind, skip] of [['SQLite', false] as const, ['PostgreSQL', postgresObstacle()] as const]) {
  test(`duplicate servers are merged into the one that serves, on ${kind}`, { skip }, async () => {
    const location = kind === 'SQLite' ? { file: ':memory:' } : { url: await createPostgresDatabase() }
    const database = openDatabase<Tables>(location)
    const db = database.query
    try {
      await migrate(db, earlier)
      const node = (id: number, more: object) => ({
        id,
        name: `n${id}`,
        admin: 'http://127.0.0.1:2019',
        http_port: 80,
        https_port: 443,
        bind: '[]',
        log_file: null,
        onboarded_at: null,
        baseline_sha: null,
        expected_sha: null,
        expected_config: null,
        announced_sha: null,
        created_at: id,
        ...more,
      })
      const other = { admin: 'http://127.0.0.1:2020' }
      const rows = [node(1, {}), node(2, {}), node(3, { onboarded_at: 3 }), node(4, other), node(5, other)]
      for (const row of rows) await db.insertInto('nodes').values(row).execute()
      await migrate(db, migrations)
      const left = await db.selectFrom('nodes').select('id').orderBy('id').execute()
      assert.deepEqual(
        left.map(({ id }) => id),
        [1, 3, 4],
      )
      await assert.rejects(db.insertInto('nodes').values(node(6, {})).execute(), /unique|UNIQUE/)
    } finally {
      await database.close()
    }
  })
}
