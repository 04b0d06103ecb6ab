import { randomBytes } from 'node:crypto'
import { createFileCipher, createSealer, restrictSecretFile, type Sealer } from '@hearth/credentials'
import { migrate, sqliteDialect, type Database, createDatabaseFile } from '@hearth/database'
import { OperatorError, warnOnTerminal, makePrivateFile } from '@hearth/runtime'
import type { BackupKey } from '@hearth/service'
import EncryptedDatabase from 'better-sqlite3-multiple-ciphers'
import { Kysely, type SqliteDatabase } from 'kysely'
import type { Config } from '../config.ts'
import { migrations } from './migrations/index.ts'
import { databaseFile, findSecret, keyFor, secretFile } from './secret.ts'
import type { Tables } from '../tables.ts'

/** Location of the database and its secret. */
interface StorageLocation extends Pick<Config, 'dataDirectory' | 'hmacSecret'> {
  /** Takes warnings about the secret's file; standard error when it is missing. */
  readonly warn?: (message: string) => void
}

/**
 * Opens the database with its secret and brings its tables up to date; makes both on the first start. `openReader` opens it
 * once more.
 */
export async function openStorage({ warn = warnOnTerminal, ...config }: StorageLocation) {
  const secret = await findSecret(config)
  if (config.hmacSecret === undefined) restrictSecretFile(secretFile(config.dataDirectory), { isOwn: true, warn })
  const database = openEncrypted(config.dataDirectory, secret)
  try {
    await migrate(database.query, migrations)
  } catch (error) {
    await database.close()
    const reason = error instanceof Error ? error.message : 'unknown error'
    throw new OperatorError(`DATA_DIR: cannot use the database in ${config.dataDirectory}: ${reason}`, { cause: error })
  }
  const sealer: Sealer = createSealer(keyFor(secret, 'sealed columns'))
  return { database, sealer, ...backupKeyOf(secret), openReader: () => openEncrypted(config.dataDirectory, secret) }
}

/** Encrypts backups, and proves the secret of one without revealing it. */
export function backupKeyOf(secret: string): BackupKey {
  const key = keyFor(secret, 'backup')
  return { fileCipher: createFileCipher(key), keyCheck: createSealer(key).keyCheck }
}

/** Opens the database of a data directory on the tables it has; creates it when there is none. */
export function openEncrypted(dataDirectory: string, secret: string): Database<Tables> {
  const query = openQuery(dataDirectory, secret)
  return { kind: 'sqlite', query, close: () => query.destroy() }
}

/** Creates an empty database in the folder, encrypted with a key that nobody keeps. */
export const openScratch = (folder: string): Database<Tables> => openEncrypted(folder, randomBytes(32).toString('hex'))

/** Opens the query builder of the database, on the tables it has. */
export function openQuery(dataDirectory: string, secret: string): Kysely<Tables> {
  const sqlite = openEncryptedSqlite(databaseFile(dataDirectory), keyFor(secret, 'database'))
  return new Kysely<Tables>({ dialect: sqliteDialect(sqlite) })
}

/**
 * The encrypted database behind Kysely's SQLite dialect: AES-256 over the whole file and its write-ahead log, one
 * connection, a commit on the disk before it is acknowledged. Throws an `OperatorError` when the key is another.
 *
 * @param key 32 bytes
 */
export function openEncryptedSqlite(file: string, key: Buffer): SqliteDatabase {
  // A process that opens the file before its first encrypted page is written takes the key for a wrong one.
  createDatabaseFile(file, (draft) => connect(draft, key).close())
  const database = connect(file, key)
  return {
    // A transaction that reads first and writes later would fail when another process wrote in between; one that claims the
    // right to write at its begin waits for it instead.
    prepare: (sql) => database.prepare(sql === 'begin' ? 'begin immediate' : sql) as never,
    close: () => void database.close(),
  }
}

function connect(file: string, key: Buffer): EncryptedDatabase {
  makePrivateFile(file)
  const database = new EncryptedDatabase(file, { timeout: 5000 })
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
