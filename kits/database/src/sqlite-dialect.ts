import { SqliteAdapter, SqliteDialect, type SqliteDatabase } from 'kysely'

/** SQLite undoes a change of the tables with the transaction around it, though Kysely's own adapter does not count on it. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class TransactionalDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

/** Kysely's SQLite dialect over a connection, with migrations that happen whole or not at all. */
export function sqliteDialect(database: SqliteDatabase): SqliteDialect {
  return new TransactionalDialect({ database })
}
