import { join } from 'node:path'
import {
  createFileCipher,
  createSealer,
  finishReplacement,
  loadSecretKey,
  type FileCipher,
  type Sealer,
} from '@hearth/credentials'
import { migrate, openDatabase, type Database } from '@hearth/database'
import { OperatorError } from '@hearth/runtime'
import type { Config } from '../config.ts'
import { migrations } from './migrations/index.ts'
import type { Tables } from './tables.ts'

/** The service's database on its newest tables, with the sealer its secrets were sealed with. */
export interface Storage {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  /** The key itself, for keys of other purposes. */
  readonly secret: Uint8Array
  /** Encrypts backups with the same key. */
  readonly fileCipher: FileCipher
}

type Location = Pick<Config, 'dataDirectory' | 'databaseUrl' | 'secretKey' | 'secretKeyFile'>

/** The fact that tells whether a key is the right one. */
export const keyCheckFact = 'key_check'

/**
 * Opens the database, brings its tables up to date and makes sure the key is the one its secrets were sealed with; makes
 * both on the first start. Throws an `OperatorError` when the key is another, or the database cannot be reached.
 */
export async function openStorage(config: Location): Promise<Storage> {
  const database = openDatabase<Tables>(
    config.databaseUrl === undefined ? { file: join(config.dataDirectory, 'media.db') } : { url: config.databaseUrl },
  )
  try {
    await migrate(database.query, migrations)
    const known = await database.query
      .selectFrom('facts')
      .select('value')
      .where('name', '=', keyCheckFact)
      .executeTakeFirst()
    if (known !== undefined)
      finishReplacement(config.secretKeyFile, (key) => createSealer(key).keyCheck === known.value)
    const key = await loadSecretKey({
      value: config.secretKey,
      file: config.secretKeyFile,
      mayCreate: known === undefined,
    })
    const sealer = createSealer(key)
    await claimKey(database, sealer)
    return { database, sealer, secret: key, fileCipher: createFileCipher(key) }
  } catch (error) {
    await database.close()
    throw error instanceof OperatorError ? error : new OperatorError(unreachable(config, error), { cause: error })
  }
}

/** The first key wins, also when two processes start together; another one is refused. */
async function claimKey(database: Database<Tables>, sealer: Sealer): Promise<void> {
  await database.query
    .insertInto('facts')
    .values({ name: keyCheckFact, value: sealer.keyCheck })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const { value } = await database.query
    .selectFrom('facts')
    .select('value')
    .where('name', '=', keyCheckFact)
    .executeTakeFirstOrThrow()
  if (value !== sealer.keyCheck) {
    throw new OperatorError('SECRET_KEY: the key is not the one the existing database was sealed with')
  }
}

function unreachable(config: Location, error: unknown): string {
  const where =
    config.databaseUrl === undefined
      ? `DATA_DIR: cannot open the database in ${config.dataDirectory}`
      : 'DATABASE_URL: cannot open the database'
  return `${where}: ${error instanceof Error ? error.message : 'unknown error'}`
}
