/** Returns true for the error of a database that had no room to write: SQLITE_FULL, or `disk_full` of PostgreSQL. */
export function isDiskFull(error: unknown): boolean {
  const { errcode, code } = (error ?? {}) as { errcode?: unknown; code?: unknown }
  return errcode === 13 || code === '53100'
}
