/** Writes rows as comma-separated values. A cell that begins like a formula is marked as text for spreadsheets. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
}

function cellText(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",;\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A file to begin with: every line is a peer, and only the name is needed. */
export const exampleCsv = csvText([
  ['name', 'tags', 'expires', 'ip'],
  ['Mara’s phone', 'kids;phones', '', ''],
  ['Guest laptop', 'guests', '2030-01-31', ''],
])
