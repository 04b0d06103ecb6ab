import { placeholderProblem } from '../placeholders.ts'
import type { HeaderChange } from '../guard-schema.ts'
import type { Report } from './rule-context.ts'

/** Headers that say how a message is sent: changing them breaks the message, or lets one be read as two. */
const guarded = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const maxBytes = 8192

/** Returns true if a text is a token of RFC 9110, as names of headers are. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(text)
}

/** Returns the reason why a name must not be that of a header people set, or undefined. */
export function headerNameProblem(name: string): string | undefined {
  if (!isToken(name) || name.includes('*')) return 'must be a header name: letters, digits and -'
  return guarded.has(name.toLowerCase()) ? `${name} says how a message is sent and cannot be changed` : undefined
}

/** Returns true if a text holds line breaks or other characters that no header may have. */
export function hasControlCharacters(text: string): boolean {
  return /[\p{Cc}]/u.test(text.replaceAll('\t', ''))
}

/** Checks changes of headers; together they have at most 8 KiB. */
export function checkHeaders(field: string, changes: readonly HeaderChange[], report: Report): void {
  for (const [index, { op, name, value }] of changes.entries()) {
    const problem = headerNameProblem(name)
    if (problem !== undefined) report(`${field}.${index}.name`, problem)
    if (op === 'delete' && value !== '') report(`${field}.${index}.value`, 'must be empty for delete')
    if (hasControlCharacters(value))
      report(`${field}.${index}.value`, 'must not hold line breaks or control characters')
    const placeholder = placeholderProblem(value)
    if (placeholder !== undefined) report(`${field}.${index}.value`, placeholder)
  }
  const bytes = changes.reduce((sum, { name, value }) => sum + Buffer.byteLength(name + value), 0)
  if (bytes > maxBytes) report(field, `must have at most ${maxBytes} bytes together`)
}
