import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createNodeTables } from './node-batches.ts'

/** Version of the tables below; a file of another version is quarantined. */
const version = 1

/*
 * Entries are sealed in blocks, column by column: 22 bytes an entry, and every question about them is answered by running
 * over the few columns it needs. Entries that do not fill a block yet stand in `recent`. Names are interned; they are found by
 * hash, so that a name stands in the file once and can be wiped out there.
 */
const tables = `
  CREATE TABLE kind (id INTEGER PRIMARY KEY, status INTEGER NOT NULL, reason INTEGER NOT NULL, source INTEGER NOT NULL,
    traits INTEGER NOT NULL, rcode INTEGER NOT NULL, type INTEGER NOT NULL, upstream INTEGER NOT NULL);
  CREATE TABLE upstream (id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE);
  CREATE TABLE rule_hit (rule INTEGER PRIMARY KEY, hits INTEGER NOT NULL, last_at INTEGER NOT NULL);
  -- at: only where the clock was behind the number
  CREATE TABLE recent (id INTEGER PRIMARY KEY, client INTEGER NOT NULL, name INTEGER NOT NULL, kind INTEGER NOT NULL,
    micros INTEGER NOT NULL, at INTEGER);
  -- version: grows when entries are taken out
  CREATE TABLE block (number INTEGER PRIMARY KEY, version INTEGER NOT NULL, rows INTEGER NOT NULL, first_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, has_times INTEGER NOT NULL);
  CREATE TABLE block_column (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
  -- generation: grows when numbers of names or kinds may be given to others
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), seed1 INTEGER NOT NULL, seed2 INTEGER NOT NULL,
    generation INTEGER NOT NULL, last_id INTEGER NOT NULL);
`

/** The greatest number that a block ever had. A file of an earlier release is without it. */
const lastBlock =
  'CREATE TABLE IF NOT EXISTS last_block (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL)'

/** Tables with personal data, in the order of their keys. */
const textTables = [
  {
    table: 'name',
    create: 'CREATE TABLE name (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL)',
    index: 'CREATE INDEX name_hash ON name (hash)',
  },
  {
    table: 'client',
    create:
      'CREATE TABLE client (number INTEGER PRIMARY KEY, peer TEXT NOT NULL, name TEXT NOT NULL, addresses TEXT NOT NULL)',
    index: '',
  },
]

/**
 * Writes the tables with texts again, in the caller's transaction. SQLite overwrites what is deleted, but not what it left where
 * a row stood before it was moved to another page; pages that are given up whole it overwrites whole.
 */
export function rewriteTexts(database: DatabaseSync): void {
  for (const { table, create, index } of textTables) {
    database.exec(`ALTER TABLE ${table} RENAME TO ${table}_before`)
    database.exec(`${create}; INSERT INTO ${table} SELECT * FROM ${table}_before ORDER BY 1`)
    database.exec(`DROP TABLE ${table}_before; ${index}`)
  }
}

/** Returns the path that a damaged file is moved to. There is one such path: an earlier file there is overwritten. */
export const asideOf = (file: string): string => `${file}.broken`

/** Opens the log's file to write, makes it (0600) when it is not there. Throws what SQLite throws. */
export function openLogDatabase(file: string): DatabaseSync {
  // SQLite would make it readable for all; its companions take the mode of the file.
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const isNew = statSync(file).size === 0
  const database = new DatabaseSync(file, { timeout: 2000, enableForeignKeyConstraints: false })
  try {
    if (isNew) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA cache_size = -16000',
    )
    const { user_version: found } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    const { count } = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get() as { count: number }
    if (count === 0) createTables(database)
    else if (found !== version) throw new OtherVersion(`its tables are of version ${found}, not ${version}`)
    createNodeTables(database)
    database.exec(lastBlock)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function createTables(database: DatabaseSync): void {
  const seeds = new Uint32Array(randomBytes(8).buffer.slice(0, 8))
  database.exec('BEGIN')
  database.exec(tables)
  for (const { create, index } of textTables) database.exec(`${create}; ${index}`)
  database.prepare('INSERT INTO state VALUES (1, ?, ?, 0, 0)').run(seeds[0]!, seeds[1]!)
  database.exec(`PRAGMA user_version = ${version}`)
  database.exec('COMMIT')
}

class OtherVersion extends Error {
  override readonly name = 'OtherVersion'
}

const corrupt = 11
const notADatabase = 26

/** Returns true if the file itself is at fault, so that only a new one helps; a full disk is none of that. */
export function isBeyondRepair(error: unknown): boolean {
  if (error instanceof OtherVersion) return true
  const code = sqliteCode(error)
  // 1: a table is missing; the file is a database, but not ours.
  return code === corrupt || code === notADatabase || (code === 1 && /no such (table|column)/.test(String(error)))
}

/** SQLite's primary result code; undefined for errors of others. */
export function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Moves a file that cannot be read out of the way. */
export function setAside(file: string): void {
  renameSync(file, asideOf(file))
  for (const companion of ['-wal', '-shm']) rmSync(file + companion, { force: true })
}

/** Removes quarantined files: they hold queries, and nothing in them can be purged. */
export function removeAside(file: string, before: number): void {
  const aside = asideOf(file)
  const found = statSync(aside, { throwIfNoEntry: false })
  if (found !== undefined && found.mtimeMs < before) rmSync(aside, { force: true })
}
