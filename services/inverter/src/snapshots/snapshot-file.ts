import type { SnapshotValue } from './schema.ts'

/** Columns of the file, in this order. */
const columns = ['name', 'vendor_name', 'group', 'kind', 'value', 'unit', 'label', 'failure'] as const

/** Returns the parameters of a snapshot as comma-separated values with a heading. */
export function snapshotCsv(values: readonly SnapshotValue[]): string {
  const lines = values.map((value) => columns.map((column) => quoted(value[column])).join(','))
  return `${[columns.join(','), ...lines].join('\n')}\n`
}

/** Quotes a cell; a text that begins like a formula is marked as text for spreadsheets. */
function quoted(value: SnapshotValue[(typeof columns)[number]]): string {
  const text = value === null ? '' : String(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
