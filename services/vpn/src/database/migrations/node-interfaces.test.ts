import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase, uniqueViolation, type Migrations } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { interfaceRow, peerRow } from '../../../test/stored-rows.ts'
import type { Tables } from '../../tables.ts'
import { migrations } from './index.ts'

const earlier: Migrations = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0028'))

for (const [kind, skip] of [['SQLite', false] as const, ['PostgreSQL', postgresObstacle()] as const]) {
  test(
    `an upgrade keeps interfaces and all that refers to them; a port is one of its host then, on ${kind}`,
    { skip },
    async () => {
      const location = kind === 'SQLite' ? { file: ':memory:' } : { url: await createPostgresDatabase() }
      const database = openDatabase<Tables>(location)
      const db = database.query
      try {
        await migrate(db, earlier)
        const { node_id: _, standby_node_id: _standby, ...before } = interfaceRow({ next_host: 7, public_key: 'a' })
        await db.insertInto('interfaces').values(before).execute()
        const { endpoint_changed_at: _changed, standby_changed_at: _standbyChanged, ...peer } = peerRow('p2')
        await db.insertInto('peers').values(peer).execute()
        await db.insertInto('access_closed').values({ interface: 'wg0' }).execute()
        await migrate(db, migrations)

        const [kept] = await db.selectFrom('interfaces').selectAll().execute()
        assert.deepEqual({ ...kept }, { ...before, node_id: null, standby_node_id: null })
        assert.equal((await db.selectFrom('peers').selectAll().execute()).length, 1)
        assert.equal((await db.selectFrom('access_closed').selectAll().execute()).length, 1)
        const node = { id: 'n1', name: 'Berlin', name_key: 'berlin', created_at: 0 }
        await db.insertInto('nodes').values(node).execute()
        const add = (name: string, more: object) =>
          db
            .insertInto('interfaces')
            .values(interfaceRow({ name, public_key: name, ...more }))
            .execute()
        await add('wg1', { node_id: 'n1' })
        for (const place of [{}, { node_id: 'n1' }])
          await assert.rejects(add('wg2', place), (error) => /listen_port/.test(uniqueViolation(error) ?? ''))
        await assert.rejects(add('wg2', { node_id: 'n2', listen_port: 1 }), /foreign key|FOREIGN KEY/i)
        await assert.rejects(db.deleteFrom('nodes').execute(), /foreign key|FOREIGN KEY/i)
        await db.deleteFrom('interfaces').where('name', '=', 'wg0').execute()
        assert.deepEqual(await db.selectFrom('peers').selectAll().execute(), [], 'references hold again')
      } finally {
        await database.close()
      }
    },
  )
}
