export { isDiskFull } from './disk-full.ts'
export {
  readDump,
  readDumpHeader,
  writeDump,
  type DumpCipher,
  type DumpHeader,
  type DumpScope,
  type RestoreCounts,
  type RestoreScope,
} from './dump.ts'
export { createDatabaseFile } from './create-database-file.ts'
export { isPostgres, migrate, NewerDatabase, type Migrations } from './migrate.ts'
export { openNodeSqlite, temporaryPragmas } from './node-sqlite.ts'
export {
  acquireLock,
  openDatabase,
  sizeOfFiles,
  sqliteDialect,
  uniqueViolation,
  type Database,
  type DatabaseLocation,
  type DatabaseUsage,
  type MeasuredDatabase,
} from './database.ts'
export { presentTables, sumTables, withLockOrNot, type TableSum } from './table-sums.ts'
export { likePattern, type Page } from './paging.ts'
