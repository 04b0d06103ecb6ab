import { stat } from 'node:fs/promises'
import type { Database, DumpCipher, Migrations } from '@hearth/database'
import { claimDataDirectory, OperatorError, withDataDirectory } from '@hearth/runtime'
import type { Command } from 'commander'

/** A service's database, opened for one command. */
export interface OpenedSubject<Tables> {
  readonly database: Database<Tables>
  /** Encrypts what follows the header of a backup. */
  readonly fileCipher: DumpCipher
  /** Proves the key without telling it. */
  readonly keyCheck: string
}

/** Description of a service for its backup. */
export interface BackupSubject<Tables> {
  readonly service: string
  readonly migrations: Migrations
  /** Tables in an order in which a row's references come before it. */
  readonly tables: readonly string[]
  /** Reads and checks the settings and returns the data directory. Makes nothing. */
  dataDirectory(): Promise<string>
  /** The proof of the key that the settings name; undefined when there is none yet. Makes nothing. */
  currentKeyCheck(): Promise<string | undefined>
  open(): Promise<OpenedSubject<Tables>>
  /** Throws an `OperatorError` when what is there must not be replaced. */
  readonly beforeRestore?: (database: Database<Tables>) => Promise<void>
  readonly afterRestore?: () => Promise<void>
}

/**
 * Adds `backup FILE` and `restore FILE`: the whole database in one encrypted file that fits SQLite and PostgreSQL alike.
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
    .action(async (file: string) => restore(await load(), keyName, file))
}

/** A backup takes the place of what had its name, and for root that could be `/dev/null`. */
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
      schema: Object.keys(subject.migrations).at(-1) ?? '',
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
  const { readDump, readDumpHeader } = await import('@hearth/database')
  const header = await readDumpHeader(file)
  const { service } = subject
  if (header.service !== service) throw new OperatorError(`${file} is a backup of ${header.service}, not of ${service}`)
  if (!(header.schema in subject.migrations)) throw new OperatorError(`${file} was made by a newer version of Hearth`)
  const dataDirectory = await subject.dataDirectory()
  const otherKey = () => new OperatorError(`${file} was made with another ${keyName.replace(/^the /, '')}`)
  const present = await subject.currentKeyCheck()
  if (present === undefined)
    throw new OperatorError(`${keyName} that ${file} was made with is missing: put it in place first`)
  if (present !== header.key_check) throw otherKey()
  using claim = claimDataDirectory(dataDirectory)
  const { database, fileCipher, keyCheck } = await subject.open()
  try {
    if (header.key_check !== keyCheck) throw otherKey()
    await subject.beforeRestore?.(database)
    const rows = await readDump(database, file, { tables: subject.tables, cipher: fileCipher })
    await subject.afterRestore?.()
    claim.keep()
    process.stderr.write(`restored ${rows} rows from ${header.created_at}\n`)
  } finally {
    await database.close()
  }
}
