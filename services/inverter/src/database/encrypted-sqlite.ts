import { makeOnce } from '@hearth/database'
import { makePrivateFile, OperatorError } from '@hearth/runtime'
import Database from 'better-sqlite3-multiple-ciphers'
import type { SqliteDatabase } from 'kysely'

/**
 * The encrypted database behind Kysely's SQLite dialect: AES-256 over the whole file and its write-ahead log, one
 * connection, a commit on the disk before it is acknowledged. Throws an `OperatorError` when the key is another.
 *
 * @param key 32 bytes
 */
export function openEncryptedSqlite(file: string, key: Buffer): SqliteDatabase {
  // Whoever opened a file without its first encrypted page would take the key for a wrong one.
  makeOnce(file, (draft) => connect(draft, key).close())
  const database = connect(file, key)
  return {
    // A transaction that reads first and writes later would fail when another process wrote in between; one that claims the
    // right to write at its begin waits for it instead.
    prepare: (sql) => database.prepare(sql === 'begin' ? 'begin immediate' : sql) as never,
    close: () => void database.close(),
  }
}

function connect(file: string, key: Buffer): Database {
  makePrivateFile(file)
  const database = new Database(file, { timeout: 5000 })
  try {
    database.pragma(`cipher='sqlcipher'`)
    database.pragma(`legacy=4`)
    database.pragma(`key="x'${key.toString('hex')}'"`)
    database.pragma('journal_mode = wal')
    database.pragma('synchronous = full')
    database.pragma('foreign_keys = on')
  } catch (error) {
    database.close()
    const { code, message } = error as { code?: string; message: string }
    if (code === 'SQLITE_NOTADB')
      throw new OperatorError(
        'HMAC_SECRET: is not the one the existing database was encrypted with, or the database is damaged',
        { cause: error },
      )
    throw new OperatorError(`DATA_DIR: cannot open ${file}: ${message}`, { cause: error })
  }
  return database
}
