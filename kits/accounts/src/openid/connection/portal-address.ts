/** True for an address of https, or of this machine. */
export function isSecureOrLocal({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): boolean {
  if (protocol === 'https:') return true
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname)
  return protocol === 'http:' && isLocal
}

/**
 * Returns the issuer that an address of a portal means: its origin. A name alone is one of https. Undefined for what is no
 * address of a portal.
 */
export function issuerOf(address: string): string | undefined {
  const text = address.trim()
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`
  if (!URL.canParse(whole)) return undefined
  const url = new URL(whole)
  const isBare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  return isBare && isSecureOrLocal(url) ? url.origin : undefined
}
