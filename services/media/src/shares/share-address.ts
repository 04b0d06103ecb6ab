import { ShareToken } from './schema.ts'
import { isIPv6 } from 'node:net'

/**
 * Replaces a malformed token in a path, however long or badly encoded, by one that cannot exist, so that the path is answered
 * like that of an unknown link. Other paths stay unchanged.
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
