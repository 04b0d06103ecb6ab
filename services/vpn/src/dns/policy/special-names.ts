import { wireName } from '../wire/wire-name.ts'

/**
 * Names whose absence keeps devices at this resolver: Firefox queries the first before it switches to DNS over HTTPS, Apple's
 * devices for the others before they switch on iCloud Private Relay.
 */
export const specialNames = ['use-application-dns.net', 'mask.icloud.com', 'mask-h2.icloud.com'] as const

const wire = specialNames.map((domain) => wireName(domain)!)

/** Returns true if the lower-case wire name is one of them; exactly, not below. */
export function isSpecial(name: Uint8Array, length: number): boolean {
  for (let k = 0; k < wire.length; k++) {
    const special = wire[k]!
    if (special.length !== length) continue
    let at = 0
    while (at < length && special[at] === name[at]) at++
    if (at === length) return true
  }
  return false
}
