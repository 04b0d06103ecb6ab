import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
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
import { informOnTerminal, type Log, OperatorError, warnOnTerminal } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { BackupKey } from './backup-commands.ts'
import { locationOf, sealedSource } from './backups/sealed-source.ts'
import { backUpBeforeUpgrade } from './backups/upgrade-backup.ts'
import { newerDatabase } from './newer-database.ts'

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
  /** Where the backup goes that is made before tables are changed; into the data directory when it is missing. */
  readonly backups?: { readonly directory: string | undefined }
  /** Takes warnings; standard error when it is missing. */
  readonly warn?: (message: string) => void
  /** Takes what was done; standard error when it is missing. */
  readonly inform?: (message: string) => void
}

/** Hands what the opening of a database tells to the log of a service. */
export const messagesTo = (log: Pick<Log, 'info' | 'warn'>): Required<Pick<StorageLocation, 'warn' | 'inform'>> => ({
  warn: (message) => log.warn(message),
  inform: (message) => log.info(message),
})

/** A service's database: its name, which is that of the embedded file as well, its steps and its tables. */
export interface DatabaseDescription {
  readonly service: string
  readonly migrations: Migrations
  /** Tables in an order in which a row's references come before it. */
  readonly tables: readonly string[]
}

/** The fact, a row of the table `facts`, that tells whether a key is the right one. */
export const keyCheckFact = 'key_check'

interface FactTables {
  facts: { name: string; value: string }
}

/**
 * Checks the key before anything is made, opens the database, brings its tables up to date and makes sure the key is the one its
 * secrets were sealed with; makes both on the first start. Makes a backup before it changes tables of an older version. Throws an
 * `OperatorError` when the key is another, the database cannot be reached, or a newer version made it.
 */
export async function openSealedStorage<Tables extends FactTables>(
  about: DatabaseDescription,
  place: StorageLocation,
): Promise<SealedStorage<Tables>> {
  checkSecretKey({ value: place.secretKey, file: place.secretKeyFile }, place.dataDirectory)
  careForKeyFile(place)
  // Loaded here, so that a command with a wrong setting is refused at once.
  const { migrate, NewerDatabase, openDatabase } = await import('@hearth/database')
  const database = openDatabase<Tables>(locationOf(about, place))
  const facts = database.query as unknown as Kysely<FactTables>
  try {
    await migrate(database.query, about.migrations, (applied) => backUpSealed(about, place, applied))
    const key = await openKey(place, await readKeyCheck(facts))
    await claimKey(facts, key.sealer)
    return { database, ...key }
  } catch (error) {
    await database.close()
    if (error instanceof NewerDatabase) throw await newerDatabase(about, place, error)
    throw error instanceof OperatorError ? error : new OperatorError(unreachable(place, error), { cause: error })
  }
}

/** Makes a backup of an older database on a connection of its own, sealed with the key that the database is known by. */
async function backUpSealed(
  about: DatabaseDescription,
  place: StorageLocation,
  applied: readonly string[],
): Promise<void> {
  const { openDatabase } = await import('@hearth/database')
  const location = locationOf(about, place)
  const reader = openDatabase<FactTables>(location)
  try {
    const known = await readKeyCheck(reader.query)
    // The first start ended before the key was made, so nothing was kept yet.
    if (known === undefined) return
    const key = await openKey(place, known)
    if (key.keyCheck !== known) throw wrongKey()
    const { dataDirectory, warn = warnOnTerminal, inform = informOnTerminal } = place
    const context = { dataDirectory, backupDirectory: place.backups?.directory, warn, inform }
    const source = await sealedSource(about, location, { ...key, database: reader })
    await backUpBeforeUpgrade(source, applied, context)
  } finally {
    await reader.close()
  }
}

/** Loads the key of a database that is known by `known`, or makes it when the database is new. */
async function openKey({ secretKey, secretKeyFile }: StorageLocation, known: string | undefined) {
  if (known !== undefined) finishReplacement(secretKeyFile, (key) => createSealer(key).keyCheck === known)
  const secret = await loadSecretKey({ value: secretKey, file: secretKeyFile, mayCreate: known === undefined })
  const sealer = createSealer(secret)
  return { sealer, secret, fileCipher: createFileCipher(secret), keyCheck: sealer.keyCheck }
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
  if ((await readKeyCheck(db)) !== sealer.keyCheck) throw wrongKey()
}

const wrongKey = () => new OperatorError('SECRET_KEY: the key is not the one the existing database was sealed with')

function unreachable({ databaseUrl, dataDirectory }: StorageLocation, error: unknown): string {
  const where =
    databaseUrl === undefined
      ? `DATA_DIR: cannot open the database in ${dataDirectory}`
      : 'DATABASE_URL: cannot open the database'
  return `${where}: ${error instanceof Error ? error.message : 'unknown error'}`
}
