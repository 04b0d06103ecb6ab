import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Database, DumpCipher, DumpHeader, Migrations, RestoreCounts } from '@hearth/database'
import { claimDataDirectory, OperatorError, withDataDirectory, withTemporaryFolder } from '@hearth/runtime'
import type { Command } from 'commander'
import { replaceNewer } from './replace-newer.ts'

/** The key of a service's backups. */
export interface BackupKey {
  /** Encrypts what follows the header of a backup. */
  readonly fileCipher: DumpCipher
  /** Proves the key without revealing it. */
  readonly keyCheck: string
}

/** A service's database, opened for one command. */
export interface OpenedSubject<Tables> extends BackupKey {
  readonly database: Database<Tables>
}

/** Description of a service for its backup. */
export interface BackupSubject<Tables> {
  readonly service: string
  readonly migrations: Migrations
  /** Tables in an order in which a row's references come before it. */
  readonly tables: readonly string[]
  /** Reads and checks the settings and returns the data directory. Makes nothing. */
  dataDirectory(): Promise<string>
  /** The key that the settings name; undefined when there is none yet. Makes nothing. */
  currentKey(): Promise<BackupKey | undefined>
  open(): Promise<OpenedSubject<Tables>>
  /** Creates an empty embedded database in the folder, as well protected as the service's own. */
  openScratch(folder: string): Promise<Database<Tables>>
  /** Opens the embedded database of a data directory on the tables it has; creates it when there is none. */
  openIn(folder: string): Promise<Database<Tables>>
  /** False when the rows are on a server. */
  isEmbedded(): boolean
  /** Throws an `OperatorError` when what is there must not be replaced. */
  readonly beforeRestore?: (database: Database<Tables>) => Promise<void>
  readonly afterRestore?: () => Promise<void>
}

/**
 * Adds `backup FILE` and `restore [--check] FILE`: the whole database in one encrypted file that fits SQLite and PostgreSQL
 * alike.
 *
 * @param load returns what is backed up; called when one of them runs, so that the other commands start fast
 * @param keyName what the key is called towards the operator
 */
export function addBackupCommands<Tables>(
  program: Command,
  load: () => Promise<BackupSubject<Tables>>,
  keyName = 'the secret key',
): void {
  program
    .command('backup')
    .description('write everything the service keeps in its database into FILE; the service may go on running')
    .argument('<file>')
    .action(async (file: string) => backup(await load(), keyName, file))
  program
    .command('restore')
    .description(`replace everything by the content of FILE; the service must not run, and ${keyName} must be the same`)
    .argument('<file>')
    .option('--check', 'only show what FILE contains and whether it can be restored; the service may go on running')
    .action(async (file: string, { check = false }: { check?: boolean }) => {
      const subject = await load()
      await (check ? checkBackup(subject, keyName, file) : restore(subject, keyName, file))
    })
}

/** A backup replaces an existing file, which for root could be `/dev/null`. */
async function checkReplaceable(file: string): Promise<void> {
  const present = await stat(file).catch(() => undefined)
  if (present !== undefined && !present.isFile())
    throw new OperatorError(`${file} is not a regular file: name a file that the backup may replace, or a new one`)
}

async function backup<Tables>(subject: BackupSubject<Tables>, keyName: string, file: string): Promise<void> {
  const { writeDump } = await import('@hearth/database')
  await checkReplaceable(file)
  const { database, fileCipher, keyCheck } = await withDataDirectory(await subject.dataDirectory(), () =>
    subject.open(),
  )
  try {
    const header = {
      format: 'hearth-backup-1',
      service: subject.service,
      schema: newestOf(subject),
      created_at: new Date().toISOString(),
      key_check: keyCheck,
    } as const
    await writeDump(database, file, { tables: subject.tables, header, cipher: fileCipher })
    process.stderr.write(`wrote ${file}; keep ${keyName} apart from it; one is of no use without the other\n`)
  } finally {
    await database.close()
  }
}

async function restore<Tables>(subject: BackupSubject<Tables>, keyName: string, file: string): Promise<void> {
  const { header, key } = await readHeader(subject, keyName, file)
  using claim = claimDataDirectory(await subject.dataDirectory())
  const counts = await restoreInto(subject, { file, header, key, keyName })
  await subject.afterRestore?.()
  claim.keep()
  process.stderr.write(`restored ${sumOf(counts.rows)} rows from ${header.created_at}\n${leftOutText(counts)}`)
}

interface Restoring {
  readonly file: string
  readonly header: DumpHeader
  readonly key: BackupKey
  readonly keyName: string
}

async function restoreInto<Tables>(
  subject: BackupSubject<Tables>,
  { file, header, key, keyName }: Restoring,
): Promise<RestoreCounts> {
  const { NewerDatabase, readDump } = await import('@hearth/database')
  const opened = await subject.open().catch((error: unknown) => {
    if (error instanceof NewerDatabase && subject.isEmbedded()) return undefined
    throw error
  })
  if (opened === undefined) return replaceNewer(subject, file, key)
  const { database, fileCipher, keyCheck } = opened
  try {
    if (header.key_check !== keyCheck) throw anotherKey(keyName, file)
    await subject.beforeRestore?.(database)
    return await readDump(database, file, { tables: subject.tables, cipher: fileCipher, schema: newestOf(subject) })
  } finally {
    await database.close()
  }
}

/** Restores the backup into a temporary database, and prints what it contains. */
async function checkBackup<Tables>(subject: BackupSubject<Tables>, keyName: string, file: string): Promise<void> {
  const { migrate, readDump } = await import('@hearth/database')
  const { header, key } = await readHeader(subject, keyName, file)
  const counts = await withTemporaryFolder(tmpdir(), async (folder) => {
    const scratch = await subject.openScratch(folder)
    try {
      await migrate(scratch.query, subject.migrations)
      return await readDump(scratch, file, {
        tables: subject.tables,
        cipher: key.fileCipher,
        schema: newestOf(subject),
      })
    } finally {
      await scratch.close()
    }
  })
  const rows = Object.entries(counts.rows).map(([table, count]) => `${String(count).padStart(10)} ${table}\n`)
  const newest = newestOf(subject)
  const older = header.schema === newest ? '' : `, which a restore brings up to ${newest}`
  process.stdout.write(
    `${file}: backup of ${header.service} from ${header.created_at}, schema ${header.schema}${older}\n`,
  )
  process.stdout.write(`${rows.join('')}${file} can be restored: ${sumOf(counts.rows)} rows\n${leftOutText(counts)}`)
}

/**
 * Reads the header of a backup and the key of the settings. Throws an `OperatorError` when the backup is another service's,
 * a newer version's, or another key's. Makes nothing.
 */
async function readHeader<Tables>(subject: BackupSubject<Tables>, keyName: string, file: string) {
  const { readDumpHeader } = await import('@hearth/database')
  const header = await readDumpHeader(file)
  const { service } = subject
  if (header.service !== service) throw new OperatorError(`${file} is a backup of ${header.service}, not of ${service}`)
  if (!(header.schema in subject.migrations)) throw new OperatorError(`${file} was made by a newer version of Hearth`)
  const key = await subject.currentKey()
  if (key === undefined)
    throw new OperatorError(`${keyName} that ${file} was made with is missing: put it in place first`)
  if (key.keyCheck !== header.key_check) throw anotherKey(keyName, file)
  return { header, key }
}

const anotherKey = (keyName: string, file: string) =>
  new OperatorError(`${file} was made with another ${keyName.replace(/^the /, '')}`)

const sumOf = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, count) => sum + count, 0)

const newestOf = ({ migrations }: { readonly migrations: Migrations }) => Object.keys(migrations).at(-1) ?? ''

/** The lines that tell which rows of an older backup a newer rule of uniqueness does not allow. */
const leftOutText = ({ leftOut }: RestoreCounts) =>
  Object.entries(leftOut)
    .map(([table, count]) => `${count} rows of ${table} left out: duplicates that this version no longer allows\n`)
    .join('')
