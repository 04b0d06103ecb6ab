/** Bits of a suite's encryption, by its OpenSSL name; 0 for none. */
export function cipherBits(name: string): number {
  if (/NULL/.test(name)) return 0
  if (name.startsWith('EXP')) return 40
  if (/3DES|DES-CBC3/.test(name)) return 112
  if (/DES/.test(name)) return 56
  if (/256|CHACHA20/.test(name.replace(/SHA256$/, ''))) return 256
  return 128
}

/** Returns true if past traffic stays secret when the server's key is lost one day. TLS 1.3 has no other suites. */
export const hasForwardSecrecy = (name: string): boolean => /^(?:TLS_|ECDHE-|DHE-|A?ECDH-|ADH-)/.test(name)

/** Returns true if encryption and its check are one; TLS 1.3 has no other suites. */
export const isAuthenticatedEncryption = (name: string): boolean => /^TLS_|GCM|CCM|CHACHA20/.test(name)

/** Returns the reason why a suite should not be offered at all; undefined for the rest. */
export function suiteFault(name: string): 'broken' | 'outdated' | undefined {
  if (/NULL|^EXP|^AECDH|^ADH/.test(name) || (cipherBits(name) < 112 && !/RC4/.test(name))) return 'broken'
  return /RC4|3DES|DES-CBC3/.test(name) ? 'outdated' : undefined
}
