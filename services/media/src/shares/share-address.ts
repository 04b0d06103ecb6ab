import { ShareFileName, ShareToken } from './schema.ts'
import { isIPv6 } from 'node:net'

/**
 * Replaces a malformed token or file in a path, however long or badly encoded, by a token that cannot exist, so that the path is
 * answered like that of an unknown link. Other paths stay unchanged.
 */
export function shareAddress(url: string): string {
  const [, rest, query = ''] = /^\/share\/([^?#]*)(\?.*)?$/s.exec(url) ?? []
  if (rest === undefined) return url
  const slash = rest.indexOf('/')
  const [token, file] = slash === -1 ? [rest] : [rest.slice(0, slash), rest.slice(slash + 1)]
  const isGood = ShareToken.safeParse(token).success && (file === undefined || ShareFileName.safeParse(file).success)
  return isGood ? url : `/share/-${query}`
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
