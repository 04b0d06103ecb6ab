/** SQLite's extended result codes for a primary key and for a unique index. */
const sqliteCodes = new Set([1555, 2067])

/**
 * The columns of the unique rule that an insert or update broke, as far as the database names them, or undefined when the
 * error is another one. SQLite names columns (`peers.ip`), PostgreSQL the index (`peers_ip_unique`); both contain the column.
 */
export function uniqueViolation(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { errcode, code, constraint, message } = error as Record<string, unknown>
  if (typeof errcode === 'number' && sqliteCodes.has(errcode)) return String(message).replace(/^.*failed: /, '')
  if (typeof code === 'string' && /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code)) return String(message)
  if (code === '23505') return String(constraint ?? message)
  return undefined
}
