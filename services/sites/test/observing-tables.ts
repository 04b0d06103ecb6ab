import { migrate, openDatabase, type DatabaseLocation } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { test } from 'node:test'
import type { CertificateTables } from '../src/certificates/tables.ts'
import * as certificates from '../src/database/migrations/0002-certificates.ts'

/** A database with the tables of certificates. */
export async function openObservingTables(location: DatabaseLocation = { file: ':memory:' }) {
  const database = openDatabase<CertificateTables>(location)
  await migrate(database.query, { '0002-certificates': certificates })
  return database
}

export type ObservingDatabase = Awaited<ReturnType<typeof openObservingTables>>

/** Runs tests on SQLite, and on PostgreSQL where there is one. */
export function onBothDatabases(run: (database: ObservingDatabase, name: string) => Promise<void>): void {
  const on = async (location: DatabaseLocation, name: string) => {
    const database = await openObservingTables(location)
    try {
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
