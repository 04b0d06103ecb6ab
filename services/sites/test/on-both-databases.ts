import { test } from 'node:test'
import { migrate, openDatabase, type Database, type DatabaseLocation } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { migrations } from '../src/database/migrations/index.ts'
import type { Tables } from '../src/tables.ts'

/** Runs tests on the service's tables, on SQLite and on PostgreSQL where there is one. */
export function onBothDatabases(run: (database: Database<Tables>, name: string) => Promise<void>): void {
  const on = async (location: DatabaseLocation, name: string) => {
    const database = openDatabase<Tables>(location)
    try {
      await migrate(database.query, migrations)
      await run(database, name)
    } finally {
      await database.close()
    }
  }
  test('on SQLite', () => on({ file: ':memory:' }, 'SQLite'))
  test('on PostgreSQL', { skip: postgresObstacle() }, async () =>
    on({ url: await createPostgresDatabase() }, 'PostgreSQL'),
  )
}
