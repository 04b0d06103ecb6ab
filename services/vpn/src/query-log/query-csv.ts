import type { QueryFilter } from './page-search.ts'
import type { QueryLog } from './query-log.ts'
import { queryView, type Names } from './query-view.ts'
import type { LoggedQueryRecord } from './schema.ts'

/** Queries in one file. */
export const exportLimit = 10_000
const pageRows = 1000

const columns = [
  'timestamp',
  'client',
  'client_ip',
  'domain',
  'type',
  'status',
  'reason',
  'rule',
  'list',
  'rcode',
  'cached',
  'cname',
  'upstream',
  'duration_ms',
] as const satisfies readonly (keyof LoggedQueryRecord)[]

/** The newest queries that pass, as comma-separated values (RFC 4180) with a heading; at most `exportLimit` of them. */
export async function* csvOf(log: QueryLog, filter: QueryFilter, names: Names): AsyncGenerator<string, void> {
  yield `${columns.join(',')}\r\n`
  let before: number | undefined
  for (let count = 0; count < exportLimit; count += pageRows) {
    const { rows } = await log.list(filter, { limit: pageRows, offset: 0, before })
    const records = rows.map((row) => queryView(row, names))
    if (records.length > 0) {
      yield records.map((record) => `${columns.map((column) => cellOf(record[column])).join(',')}\r\n`).join('')
    }
    if (rows.length < pageRows) return
    before = rows.at(-1)?.id
  }
}

/** Text that begins like a formula is kept from being one: anyone may ask for a name like that. */
export function cellOf(value: string | number | boolean | null): string {
  const text = value === null ? '' : String(value)
  const safe = typeof value === 'string' && /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
