import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase, type Migrations } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import type { Tables } from '../../tables.ts'
import { migrations } from './index.ts'

const earlier: Migrations = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0005'))

for (const [kind, skip] of [['SQLite', false] as const, ['PostgreSQL', postgresObstacle()] as const]) {
  test(`duplicate rules are merged into the newest, on ${kind}`, { skip }, async () => {
    const location = kind === 'SQLite' ? { file: ':memory:' } : { url: await createPostgresDatabase() }
    const database = openDatabase<Tables>(location)
    const db = database.query
    try {
      await migrate(db, earlier)
      const rule = (id: string, more: object) => ({
        id,
        number: Number(id),
        action: 'block' as const,
        domain: 'ads.example',
        below_only: 0,
        peer_id: null,
        enabled: 1,
        created_at: Number(id),
        created_by: null,
        ...more,
      })
      const rows = [rule('1', {}), rule('2', { action: 'allow' }), rule('3', {}), rule('4', { below_only: 1 })]
      for (const row of rows) await db.insertInto('dns_rules').values(row).execute()
      await migrate(db, migrations)
      const left = await db.selectFrom('dns_rules').select('id').orderBy('id').execute()
      assert.deepEqual(
        left.map(({ id }) => id),
        ['3', '4'],
      )
      await assert.rejects(db.insertInto('dns_rules').values(rule('5', {})).execute(), /unique|UNIQUE/)
    } finally {
      await database.close()
    }
  })
}
