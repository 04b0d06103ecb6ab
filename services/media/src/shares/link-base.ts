import { isIPv6 } from 'node:net'

/** What the beginning of links is made of. */
export interface LinkBaseParts {
  /** The setting `public_hostname`; empty for none. */
  readonly publicHostname: () => string
  /** The setting PUBLIC_URL. */
  readonly publicUrl: string | undefined
}

/** Makes the beginning of links for a request: what the settings say, otherwise as the caller addressed the service. */
export function createLinkBase({ publicHostname, publicUrl }: LinkBaseParts): (client: { origin: string }) => string {
  return ({ origin }) => {
    const host = publicHostname()
    if (host !== '') return `https://${isIPv6(host) ? `[${host}]` : host}`
    return publicUrl?.replace(/\/+$/, '') ?? origin
  }
}
