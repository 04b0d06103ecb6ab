import { ShareToken } from './schema.ts'

/**
 * Puts a token that cannot be one in place of what is none by its form, however long or badly encoded, so that such an address
 * is answered like that of an unknown link. Other addresses stay as they are.
 */
export function shareAddress(url: string): string {
  const [, token, query = ''] = /^\/share\/([^?#]*)(\?.*)?$/s.exec(url) ?? []
  return token === undefined || ShareToken.safeParse(token).success ? url : `/share/-${query}`
}
