import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  checkSecretKey,
  createFileCipher,
  createSealer,
  finishReplacement,
  loadSecretKey,
  restrictSecretFile,
  type Sealer,
} from '@hearth/credentials'
import type { MeasuredDatabase, Migrations } from '@hearth/database'
import { OperatorError, warnOnTerminal } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { BackupKey } from './backup-commands.ts'

/** A database on its newest tables, with the sealer its secrets were sealed with. */
export interface SealedStorage<Tables> extends BackupKey {
  readonly database: MeasuredDatabase<Tables>
  readonly sealer: Sealer
  /** The key itself, for keys of other purposes; 32 bytes. */
  readonly secret: Uint8Array
}

/** Location of a service's database and its key, as its settings say. */
export interface StorageLocation {
  readonly dataDirectory: string
  readonly databaseUrl: string | undefined
  readonly secretKey: string | undefined
  readonly secretKeyFile: string
  /** Takes warnings about the key's file; standard error when it is missing. */
  readonly warn?: (message: string) => void
}

/** The fact, a row of the table `facts`, that tells whether a key is the right one. */
export const keyCheckFact = 'key_check'

interface FactTables {
  facts: { name: string; value: string }
}

/**
 * Checks the key before anything is made, opens the database, brings its tables up to date and makes sure the key is the one its secrets were sealed with; makes
 * both on the first start. Throws an `OperatorError` when the key is another, or the database cannot be reached.
 *
 * @param service name of the service, which is that of the embedded file as well
 */
export async function openSealedStorage<Tables extends FactTables>(
  service: string,
  place: StorageLocation,
  migrations: Migrations,
): Promise<SealedStorage<Tables>> {
  checkSecretKey({ value: place.secretKey, file: place.secretKeyFile }, place.dataDirectory)
  careForKeyFile(place)
  const file = join(place.dataDirectory, `${service}.db`)
  // Loaded here, so that a command with a wrong setting is refused at once.
  const { migrate, openDatabase } = await import('@hearth/database')
  const database = openDatabase<Tables>(place.databaseUrl === undefined ? { file } : { url: place.databaseUrl })
  const facts = database.query as unknown as Kysely<FactTables>
  try {
    await migrate(database.query, migrations)
    const known = await readKeyCheck(facts)
    if (known !== undefined) finishReplacement(place.secretKeyFile, (key) => createSealer(key).keyCheck === known)
    const secret = await loadSecretKey({
      value: place.secretKey,
      file: place.secretKeyFile,
      mayCreate: known === undefined,
    })
    const sealer = createSealer(secret)
    await claimKey(facts, sealer)
    return { database, sealer, secret, fileCipher: createFileCipher(secret), keyCheck: sealer.keyCheck }
  } catch (error) {
    await database.close()
    throw error instanceof OperatorError ? error : new OperatorError(unreachable(place, error), { cause: error })
  }
}

function careForKeyFile({ secretKey, secretKeyFile, dataDirectory, warn = warnOnTerminal }: StorageLocation): void {
  if (secretKey !== undefined || !existsSync(secretKeyFile)) return
  restrictSecretFile(secretKeyFile, { isOwn: dirname(secretKeyFile) === dataDirectory, warn })
}

/** The key of backups that the settings name; undefined when there is none yet. Makes nothing. */
export async function currentKey(place: StorageLocation): Promise<BackupKey | undefined> {
  if (place.secretKey === undefined && !existsSync(place.secretKeyFile)) return undefined
  const secret = await loadSecretKey({ value: place.secretKey, file: place.secretKeyFile, mayCreate: false })
  return { fileCipher: createFileCipher(secret), keyCheck: createSealer(secret).keyCheck }
}

async function readKeyCheck(db: Kysely<FactTables>): Promise<string | undefined> {
  const row = await db.selectFrom('facts').select('value').where('name', '=', keyCheckFact).executeTakeFirst()
  return row?.value
}

/** The first key wins, also when two processes start together; another one is refused. */
async function claimKey(db: Kysely<FactTables>, sealer: Sealer): Promise<void> {
  await db
    .insertInto('facts')
    .values({ name: keyCheckFact, value: sealer.keyCheck })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  if ((await readKeyCheck(db)) !== sealer.keyCheck)
    throw new OperatorError('SECRET_KEY: the key is not the one the existing database was sealed with')
}

function unreachable({ databaseUrl, dataDirectory }: StorageLocation, error: unknown): string {
  const where =
    databaseUrl === undefined
      ? `DATA_DIR: cannot open the database in ${dataDirectory}`
      : 'DATABASE_URL: cannot open the database'
  return `${where}: ${error instanceof Error ? error.message : 'unknown error'}`
}
