import type { IncomingMessage } from 'node:http'

/** Value of a header that comes once, or an empty text. */
export function headerOf({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string {
  const value = headers[name.toLowerCase()]
  return typeof value === 'string' ? value : ''
}
