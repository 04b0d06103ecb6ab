import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A row as the database has it; columns that are not known stay in it. */
export type NpmRow = Readonly<Record<string, unknown>>

/** A file is no database of Nginx Proxy Manager that can be read. The message says why, for a person. */
export class NpmUnreadable extends Error {
  override readonly name = 'NpmUnreadable'
}

/** Largest database, bytes. */
export const maxNpmDatabase = 64 * 1024 * 1024
/** Rows of one table that are read. */
const maxRows = 20_000

const tables = [
  'proxy_host',
  'redirection_host',
  'dead_host',
  'stream',
  'access_list',
  'access_list_auth',
  'access_list_client',
  'certificate',
] as const

/** The tables of Nginx Proxy Manager that matter here. Those that a version does not have are empty. */
export type NpmTables = Readonly<Record<(typeof tables)[number], readonly NpmRow[]>>

/** Columns that each table must have; others came and went with versions. */
const needed: Readonly<Partial<Record<keyof NpmTables, readonly string[]>>> = {
  proxy_host: ['id', 'domain_names', 'forward_port'],
  redirection_host: ['id', 'domain_names', 'forward_domain_name'],
  dead_host: ['id', 'domain_names'],
}

/**
 * Reads the tables of a `database.sqlite`. Works on a copy in a new directory below `parent`, which only this
 * user can read and which goes afterwards. Throws `NpmUnreadable`.
 */
export async function readNpmDatabase(bytes: Uint8Array, parent = tmpdir()): Promise<NpmTables> {
  if (bytes.length > maxNpmDatabase) throw new NpmUnreadable('The file is larger than 64 MiB')
  if (Buffer.from(bytes.subarray(0, 16)).toString('latin1') !== 'SQLite format 3\0')
    throw new NpmUnreadable('The file is no SQLite database; of Nginx Proxy Manager only database.sqlite can be read')
  const folder = await mkdtemp(join(parent, 'npm-import-'))
  try {
    const path = join(folder, 'database.sqlite')
    await writeFile(path, withoutWal(bytes), { mode: 0o600, flag: 'wx' })
    return readTables(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A database with a write-ahead log cannot be opened for reading only; without the log the mark means nothing. */
function withoutWal(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes)
  if (copy[18] === 2 && copy[19] === 2) copy.fill(1, 18, 20)
  return copy
}

function readTables(path: string): NpmTables {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true, allowExtension: false, enableForeignKeyConstraints: false })
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0')
    const present = plainTables(database)
    if (!present.has('proxy_host'))
      throw new NpmUnreadable('The database is not that of Nginx Proxy Manager: it has no table proxy_host')
    const open = database
    return Object.fromEntries(
      tables.map((table) => [table, present.has(table) ? readTable(open, table) : []]),
    ) as unknown as NpmTables
  } catch (error) {
    if (error instanceof NpmUnreadable) throw error
    throw new NpmUnreadable('The database is damaged', { cause: error })
  } finally {
    database?.close()
  }
}

/** Tables that are what they seem: a view or a virtual table could be made to run something. */
function plainTables(database: DatabaseSync): Set<string> {
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' LIMIT 1000").all()
  const plain = rows.filter(
    ({ sql }) => typeof sql === 'string' && /^\s*create\s+table\b/i.test(sql) && !/\bgenerated\b|\bas\s*\(/i.test(sql),
  )
  return new Set(plain.map(({ name }) => String(name)))
}

function readTable(database: DatabaseSync, table: keyof NpmTables): NpmRow[] {
  const rows = database.prepare(`SELECT * FROM ${table} LIMIT ${maxRows + 1}`).all()
  if (rows.length > maxRows) throw new NpmUnreadable(`The table ${table} has more than ${maxRows} rows`)
  const missing = rows[0] && needed[table]?.find((column) => !Object.hasOwn(rows[0] ?? {}, column))
  if (missing)
    throw new NpmUnreadable(
      `The table ${table} has no column ${missing}; this version of Nginx Proxy Manager is not known`,
    )
  return rows.filter((row) => Number(row['is_deleted'] ?? 0) === 0)
}
