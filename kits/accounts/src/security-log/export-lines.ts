import { SecurityEvent } from './schema.ts'

/** Columns of the file, in the order of the event. */
const columns = SecurityEvent.omit({ id: true }).keyof().options

/** The first line of a file of comma-separated values. */
export const csvHeading = `${columns.join(',')}\n`

/** Returns an event as a line of comma-separated values. */
export function csvLine(event: SecurityEvent): string {
  return `${columns.map((column) => quoted(event[column] ?? '')).join(',')}\n`
}

/** Returns an event as a line of JSON. */
export function jsonLine(event: SecurityEvent): string {
  return `${JSON.stringify(event)}\n`
}

/** Quotes a cell; one that begins like a formula is marked as text for spreadsheets. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
