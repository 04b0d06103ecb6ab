import { ShareToken } from './schema.ts'
import { isIPv6 } from 'node:net'

/**
 * Puts a token that cannot be one in place of what is none by its form, however long or badly encoded, so that such an address
 * is answered like that of an unknown link. Other addresses stay as they are.
 */
export function shareAddress(url: string): string {
  const [, token, query = ''] = /^\/share\/([^?#]*)(\?.*)?$/s.exec(url) ?? []
  return token === undefined || ShareToken.safeParse(token).success ? url : `/share/-${query}`
}

/**
 * Creates the beginning of links for a request: the setting `public_hostname`, which may be empty, otherwise PUBLIC_URL, otherwise
 * as the caller addressed the service.
 */
export function createLinkBase(settings: { publicHostname: () => string; publicUrl: string | undefined }) {
  const { publicHostname, publicUrl } = settings
  return ({ origin }: { origin: string }): string => {
    const host = publicHostname()
    if (host !== '') return `https://${isIPv6(host) ? `[${host}]` : host}`
    return publicUrl?.replace(/\/+$/, '') ?? origin
  }
}
