import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { makePrivateFile } from '@hearth/runtime'
import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { createDatabaseFile } from './create-database-file.ts'

/** Number of prepared statements that are kept. Kysely writes a query the same way each time, so a few hundred cover a service. */
const statementLimit = 500

/**
 * The embedded database behind Kysely's SQLite dialect: one connection, write-ahead log, foreign keys on. A commit is on the
 * disk before it is acknowledged. Other processes (the command line) may use the file at the same time; a busy one is
 * waited for, 5 s at most.
 *
 * @param file path of the database, or `:memory:`
 * @param isTemporary the file is removed after use: nothing is made to last, so that a commit does not wait for the disk
 */
export function openNodeSqlite(file: string, isTemporary = false): SqliteDatabase {
  const pragmas = isTemporary ? temporaryPragmas : lastingPragmas
  if (file !== ':memory:') createDatabaseFile(file, (draft) => connect(draft, pragmas).close())
  const database = connect(file, pragmas)
  const statements = new Map<string, StatementSync>()

  function prepare(text: string): SqliteStatement {
    // A transaction that reads first and writes later would fail at once when another process wrote in between; one that
    // claims the right to write at its begin waits for it instead.
    const sql = text === 'begin' ? 'begin immediate' : text
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = database.prepare(sql)
      if (statements.size >= statementLimit) statements.clear()
      statements.set(sql, statement)
    }
    return text === 'rollback' ? whileInTransaction(database, statement) : asKyselyStatement(statement)
  }

  return { prepare, close: () => database.close() }
}

const lastingPragmas = 'pragma journal_mode = wal; pragma synchronous = full'

/** Pragmas of a database that is removed after use. */
export const temporaryPragmas = 'pragma journal_mode = memory; pragma synchronous = off'

function connect(file: string, pragmas: string): DatabaseSync {
  // SQLite gives its log files the mode of the database itself.
  if (file !== ':memory:') makePrivateFile(file)
  const database = new DatabaseSync(file)
  try {
    database.exec(`pragma busy_timeout = 5000; ${pragmas}; pragma foreign_keys = on`)
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** SQLite ends a transaction itself when the disk is full or fails; a second end would hide the error that tells so. */
function whileInTransaction(database: DatabaseSync, statement: StatementSync): SqliteStatement {
  const rollback = asKyselyStatement(statement)
  const nothing = { changes: 0, lastInsertRowid: 0 }
  return {
    ...rollback,
    run: (parameters) => (database.isTransaction ? rollback.run(parameters) : nothing),
  }
}

function asKyselyStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  }
}
