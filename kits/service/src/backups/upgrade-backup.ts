import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Migrations } from '@hearth/database'
import { OperatorError } from '@hearth/runtime'
import { extendStart } from '../notify.ts'
import { BackupFiles, type BackupFile } from './backup-files.ts'
import { makeBackup, type BackupSource, type MadeBackup } from './make-backup.ts'

/** Places and messages of a backup before an upgrade. */
export interface UpgradeContext {
  readonly dataDirectory: string
  /** `BACKUP_DIR`; undefined when it is not set. */
  readonly backupDirectory: string | undefined
  /** Tells the operator what was done. */
  readonly inform: (message: string) => void
  readonly warn: (message: string) => void
}

type Location = Pick<UpgradeContext, 'dataDirectory' | 'backupDirectory'>

/** Number of tables' versions of which the newest backup stays. */
const versionsKept = 3

/** Longest time that a backup before an upgrade may take, milliseconds. */
const limitMs = 3_600_000

/** Time that systemd gives a start which begins with a backup and changes tables, seconds. */
const startSeconds = 7200

/**
 * Makes and verifies a backup of a database whose tables are older than the program, before they are changed. It goes to
 * `BACKUP_DIR`, or to `backups` in the data directory when that is not set or cannot be used. Throws an `OperatorError` when
 * no backup could be made: then nothing must be changed.
 *
 * @param applied steps that ran on the database, oldest first
 */
export async function backUpBeforeUpgrade<Tables>(
  source: BackupSource<Tables>,
  applied: readonly string[],
  context: UpgradeContext,
): Promise<void> {
  extendStart(process.env, startSeconds, ({ message }) => context.warn(`systemd could not be told: ${message}`))
  const older = await olderSource(source, applied)
  const version = applied.at(-1) ?? ''
  let reason = ''
  for (const directory of directoriesOf(context)) {
    const files = new BackupFiles(directory, source.service, 'before upgrade')
    try {
      const { path } = await make(older, files, context)
      context.inform(`the database is upgraded from ${version}; the backup from before is ${path}`)
      await removeOlder(files, context)
      return
    } catch (error) {
      reason = (error as Error).message
      context.warn(`no backup could be made in ${directory}: ${reason}`)
    }
  }
  throw new OperatorError(
    `the database must be upgraded from ${version}, and no backup could be made first: ${reason}. Nothing was changed`,
  )
}

/** Finds the newest verified backup that the program can restore: of its own tables, or of older ones. */
export async function findRestorable(
  service: string,
  migrations: Migrations,
  location: Location,
): Promise<BackupFile | undefined> {
  const kinds = ['scheduled', 'before upgrade'] as const
  const sets = directoriesOf(location).flatMap((directory) =>
    kinds.map((kind) => new BackupFiles(directory, service, kind).verified().catch(() => [])),
  )
  const newestFirst = (await Promise.all(sets)).flat().toSorted((a, b) => b.at - a.at)
  for (const file of newestFirst) {
    const schema = await readSchema(file)
    if (schema !== undefined && schema in migrations) return file
  }
  return undefined
}

const directoriesOf = ({ dataDirectory, backupDirectory }: Location): string[] => [
  ...(backupDirectory === undefined ? [] : [backupDirectory]),
  join(dataDirectory, 'backups'),
]

/** Returns the source on the tables that the database has. */
async function olderSource<Tables>(
  source: BackupSource<Tables>,
  applied: readonly string[],
): Promise<BackupSource<Tables>> {
  const { presentTables } = await import('@hearth/database')
  const migrations = Object.fromEntries(Object.entries(source.migrations).filter(([name]) => applied.includes(name)))
  const reader = await source.openReader()
  try {
    return { ...source, migrations, tables: await presentTables(reader, source.tables) }
  } finally {
    await reader.close()
  }
}

async function make<Tables>(
  source: BackupSource<Tables>,
  files: BackupFiles,
  { dataDirectory }: Location,
): Promise<MadeBackup> {
  const place = { files, scratch: join(dataDirectory, 'backup-scratch') }
  const taken = new Set((await files.verified()).map((file) => file.at))
  // Names of files have seconds.
  let at = Math.floor(Date.now() / 1000) * 1000
  while (taken.has(at)) at += 1000
  return makeBackup(source, place, { at, signal: AbortSignal.timeout(limitMs) })
}

/** Keeps the newest backup of each of the newest versions: an upgrade that fails again and again makes one each time. */
async function removeOlder(files: BackupFiles, { warn }: Pick<UpgradeContext, 'warn'>): Promise<void> {
  try {
    const kept = new Set<string>()
    for (const file of await files.verified()) {
      const schema = await readSchema(file)
      if (schema === undefined) continue
      if (kept.has(schema) || kept.size === versionsKept) await rm(file.path, { force: true })
      else kept.add(schema)
    }
  } catch (error) {
    warn(`old backups cannot be removed: ${(error as Error).message}`)
  }
}

/** Reads the newest step of the tables that the backup is of; undefined when the file is none. */
async function readSchema({ path }: BackupFile): Promise<string | undefined> {
  const { readDumpHeader } = await import('@hearth/database')
  return readDumpHeader(path).then(
    ({ schema }) => schema,
    () => undefined,
  )
}
