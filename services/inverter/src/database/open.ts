import { createFileCipher, createSealer, restrictSecretFile, type FileCipher } from '@hearth/credentials'
import { migrate, sqliteDialect, type Database } from '@hearth/database'
import { OperatorError, warnOnTerminal } from '@hearth/runtime'
import { Kysely } from 'kysely'
import type { Config } from '../config.ts'
import { openEncryptedSqlite } from './encrypted-sqlite.ts'
import { migrations } from './migrations/index.ts'
import { databaseFile, findSecret, keyFor, secretFile } from './secret.ts'
import type { Tables } from './tables.ts'

/** The service's database on its newest tables. */
export interface Storage {
  readonly database: Database<Tables>
  /** Encrypts backups with the same secret. */
  readonly fileCipher: FileCipher
  /** Proves the secret of a backup without telling it. */
  readonly keyCheck: string
}

/** Where the database and its secret are. */
export interface StoragePlace extends Pick<Config, 'dataDirectory' | 'hmacSecret'> {
  /** Takes warnings about the secret's file; standard error when it is missing. */
  readonly warn?: (message: string) => void
}

/** Opens the database with its secret and brings its tables up to date; makes both on the first start. */
export async function openStorage({ warn = warnOnTerminal, ...config }: StoragePlace): Promise<Storage> {
  const secret = await findSecret(config)
  if (config.hmacSecret === undefined) restrictSecretFile(secretFile(config.dataDirectory), { isOwn: true, warn })
  const backupKey = keyFor(secret, 'backup')
  const file = databaseFile(config.dataDirectory)
  const query = new Kysely<Tables>({
    dialect: sqliteDialect(openEncryptedSqlite(file, keyFor(secret, 'database'))),
  })
  try {
    await migrate(query, migrations)
  } catch (error) {
    await query.destroy()
    const reason = error instanceof Error ? error.message : 'unknown error'
    throw new OperatorError(`DATA_DIR: cannot use the database in ${config.dataDirectory}: ${reason}`, { cause: error })
  }
  return {
    database: { kind: 'sqlite', query, close: () => query.destroy() },
    fileCipher: createFileCipher(backupKey),
    keyCheck: createSealer(backupKey).keyCheck,
  }
}
