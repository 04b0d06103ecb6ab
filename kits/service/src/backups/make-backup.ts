import { rm } from 'node:fs/promises'
import type { Database, Migrations, TableSum } from '@hearth/database'
import { OperatorError, withTemporaryFolder } from '@hearth/runtime'
import type { BackupKey } from '../backup-commands.ts'
import { type BackupFiles, checkSpace, sizeOf } from './backup-files.ts'

/** A running service's database, as its backups need it. */
export interface BackupSource<Tables> extends BackupKey {
  readonly service: string
  readonly migrations: Migrations
  /** Tables in an order in which a row's references come before it. */
  readonly tables: readonly string[]
  /** Opens the database a second time, so that the service goes on working on its own connection. */
  openReader(): Promise<Database<Tables>>
  /** Creates an empty embedded database in the folder, as well protected as the service's own. */
  openScratch(folder: string): Promise<Database<Tables>>
  /** Reads the size of the database, bytes. */
  sizeBytes(): Promise<number>
}

/** Where a backup is written, and where it is tried. */
export interface BackupPlace {
  readonly files: BackupFiles
  /** Folder for the database that a backup is restored into; it is removed afterwards. */
  readonly scratch: string
}

/** A backup that was made and verified. */
export interface MadeBackup {
  readonly path: string
  readonly bytes: number
  readonly rows: number
}

/** Bytes that a backup needs beside those of the database. */
const spareBytes = 1_048_576

/**
 * Writes a backup, restores it into a scratch database and compares every table with what was written. Only then it counts.
 * Throws, and keeps the file aside, when it does not restore to the same rows.
 */
export async function makeBackup<Tables>(
  source: BackupSource<Tables>,
  { files, scratch }: BackupPlace,
  { at, signal }: { readonly at: number; readonly signal: AbortSignal },
): Promise<MadeBackup> {
  const needed = (await source.sizeBytes()) + spareBytes
  await files.prepare(needed)
  await rm(scratch, { recursive: true, force: true })
  const path = files.unverifiedPath(at)
  const written = await write(source, path, { at, signal })
  const rows = Object.values(written).reduce((sum, table) => sum + table.rows, 0)
  try {
    await withTemporaryFolder(scratch, async (folder) => {
      await checkSpace(folder, needed)
      await verify(source, path, { folder, written, signal })
    })
  } catch (error) {
    if (!signal.aborted && !isNoSpace(error)) await files.settle(path, 'failed')
    else await rm(path, { force: true })
    throw error
  }
  const bytes = await sizeOf(path)
  return { path: await files.settle(path, 'verified'), bytes, rows }
}

const isNoSpace = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOSPC'

async function write<Tables>(
  source: BackupSource<Tables>,
  path: string,
  { at, signal }: { readonly at: number; readonly signal: AbortSignal },
): Promise<Record<string, TableSum>> {
  const { writeDump } = await import('@hearth/database')
  const header = {
    format: 'hearth-backup-1',
    service: source.service,
    schema: Object.keys(source.migrations).at(-1) ?? '',
    created_at: new Date(at).toISOString(),
    key_check: source.keyCheck,
  } as const
  const reader = await source.openReader()
  try {
    return await writeDump(reader, path, { tables: source.tables, header, cipher: source.fileCipher, signal })
  } finally {
    await reader.close()
  }
}

interface Verification {
  readonly folder: string
  readonly written: Readonly<Record<string, TableSum>>
  readonly signal: AbortSignal
}

async function verify<Tables>(
  source: BackupSource<Tables>,
  path: string,
  { folder, written, signal }: Verification,
): Promise<void> {
  const { migrate, readDump, sumTables } = await import('@hearth/database')
  const scratch = await source.openScratch(folder)
  try {
    await migrate(scratch.query, source.migrations)
    const schema = Object.keys(source.migrations).at(-1) ?? ''
    signal.throwIfAborted()
    await readDump(scratch, path, { tables: source.tables, cipher: source.fileCipher, schema })
    signal.throwIfAborted()
    const restored = await sumTables(scratch, source.tables)
    for (const [table, { rows, sum }] of Object.entries(written)) {
      const found = restored[table]
      if (found?.rows === rows && found.sum === sum) continue
      throw new OperatorError(`the backup restores to other rows in ${table}: ${found?.rows ?? 0} of ${rows}`)
    }
  } finally {
    await scratch.close()
  }
}
