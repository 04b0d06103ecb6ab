import { randomBytes } from 'node:crypto'
import { createFileCipher, createSealer, restrictSecretFile, type Sealer } from '@hearth/credentials'
import {
  createDatabaseFile,
  migrate,
  NewerDatabase,
  sizeOfFiles,
  sqliteDialect,
  temporaryPragmas,
  type Database,
} from '@hearth/database'
import { informOnTerminal, makePrivateFile, OperatorError, warnOnTerminal } from '@hearth/runtime'
import { backUpBeforeUpgrade, newerDatabase, type BackupKey, type BackupSource } from '@hearth/service'
import EncryptedDatabase from 'better-sqlite3-multiple-ciphers'
import { Kysely, type SqliteDatabase } from 'kysely'
import type { Config } from '../config.ts'
import { migrations } from './migrations/index.ts'
import { databaseFile, findSecret, keyFor, secretFile } from './secret.ts'
import { backupTableNames, type Tables } from '../tables.ts'

/** Location of the database and its secret. */
interface StorageLocation extends Pick<Config, 'dataDirectory' | 'hmacSecret'> {
  /** Where the backup goes that is made before tables are changed; into the data directory when it is missing. */
  readonly backups?: Pick<Config['backups'], 'directory'>
  /** Takes warnings; standard error when it is missing. */
  readonly warn?: (message: string) => void
  /** Takes what was done; standard error when it is missing. */
  readonly inform?: (message: string) => void
}

/**
 * Opens the database with its secret and brings its tables up to date; makes both on the first start. Makes a backup before it
 * changes tables of an older version. The source of the backups opens the database once more.
 */
export async function openStorage({ warn = warnOnTerminal, inform = informOnTerminal, ...config }: StorageLocation) {
  const { dataDirectory, backups } = config
  const secret = await findSecret(config)
  if (config.hmacSecret === undefined) restrictSecretFile(secretFile(config.dataDirectory), { isOwn: true, warn })
  const source = backupSource(dataDirectory, secret)
  const context = { dataDirectory, backupDirectory: backups?.directory, warn, inform }
  const database = openEncrypted(dataDirectory, secret)
  try {
    await migrate(database.query, migrations, (applied) => backUpBeforeUpgrade(source, applied, context))
  } catch (error) {
    await database.close()
    if (error instanceof NewerDatabase) throw await newerDatabase(source, config, error)
    const reason = error instanceof Error ? error.message : 'unknown error'
    throw new OperatorError(`DATA_DIR: cannot use the database in ${dataDirectory}: ${reason}`, { cause: error })
  }
  const sealer: Sealer = createSealer(keyFor(secret, 'sealed columns'))
  return { database, sealer, ...backupKeyOf(secret), backupSource: source }
}

/** Describes the database for its backups, which are tried in a database that is encrypted too. */
const backupSource = (dataDirectory: string, secret: string): BackupSource<Tables> => ({
  service: 'inverter',
  migrations,
  tables: backupTableNames,
  ...backupKeyOf(secret),
  openReader: () => Promise.resolve(openEncrypted(dataDirectory, secret)),
  openScratch: (folder) => Promise.resolve(openScratch(folder)),
  sizeBytes: () => sizeOfFiles(databaseFile(dataDirectory)),
})

/** Encrypts backups, and proves the secret of one without revealing it. */
export function backupKeyOf(secret: string): BackupKey {
  const key = keyFor(secret, 'backup')
  return { fileCipher: createFileCipher(key), keyCheck: createSealer(key).keyCheck }
}

/** Opens the database of a data directory on the tables it has; creates it when there is none. */
export function openEncrypted(dataDirectory: string, secret: string): Database<Tables> {
  return asDatabase(openQuery(dataDirectory, secret))
}

const asDatabase = (query: Kysely<Tables>): Database<Tables> => ({
  kind: 'sqlite',
  query,
  close: () => query.destroy(),
})

/** Creates an empty database in the folder, encrypted with a key that nobody keeps. */
export function openScratch(folder: string): Database<Tables> {
  const sqlite = openEncryptedSqlite(databaseFile(folder), randomBytes(32), temporaryPragmas)
  return asDatabase(new Kysely<Tables>({ dialect: sqliteDialect(sqlite) }))
}

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
 * @param pragmas how much a commit does to last
 */
export function openEncryptedSqlite(file: string, key: Buffer, pragmas = lastingPragmas): SqliteDatabase {
  // A process that opens the file before its first encrypted page is written takes the key for a wrong one.
  createDatabaseFile(file, (draft) => connect(draft, key, pragmas).close())
  const database = connect(file, key, pragmas)
  return {
    // A transaction that reads first and writes later would fail when another process wrote in between; one that claims the
    // right to write at its begin waits for it instead.
    prepare: (sql) => database.prepare(sql === 'begin' ? 'begin immediate' : sql) as never,
    close: () => void database.close(),
  }
}

const lastingPragmas = 'pragma journal_mode = wal; pragma synchronous = full'

function connect(file: string, key: Buffer, pragmas: string): EncryptedDatabase {
  makePrivateFile(file)
  const database = new EncryptedDatabase(file, { timeout: 5000 })
  try {
    database.pragma(`cipher='sqlcipher'`)
    database.pragma(`legacy=4`)
    database.pragma(`key="x'${key.toString('hex')}'"`)
    database.exec(`${pragmas}; pragma foreign_keys = on`)
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
