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

interface LinkBaseDependencies {
  /** The setting `public_hostname`; empty for none. */
  readonly publicHostname: () => string
  /** The setting PUBLIC_URL. */
  readonly publicUrl: string | undefined
}

/** Makes the beginning of links for a request: what the settings say, otherwise as the caller addressed the service. */
export function createLinkBase({
  publicHostname,
  publicUrl,
}: LinkBaseDependencies): (client: { origin: string }) => string {
  return ({ origin }) => {
    const host = publicHostname()
    if (host !== '') return `https://${isIPv6(host) ? `[${host}]` : host}`
    return publicUrl?.replace(/\/+$/, '') ?? origin
  }
}
