import type { CertificateFacts } from '../certificate-facts.ts'

/** Versions of TLS that can be tried, oldest first. */
export const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const
export type TlsVersion = (typeof tlsVersions)[number]

/** A cipher suite the server accepted. */
export interface CipherSuite {
  /** As OpenSSL writes it: `ECDHE-RSA-AES128-GCM-SHA256`. */
  readonly name: string
  readonly version: '1.3' | 'older'
  /** Size of a finite-field key exchange, bits; undefined for every other kind. */
  readonly dhBits: number | undefined
}

/** Everything the score depends on; see `probeSite`. */
export interface Observation {
  readonly host: string
  readonly versions: readonly TlsVersion[]
  readonly suites: readonly CipherSuite[]
  /** Key exchange groups, by OpenSSL's names. */
  readonly groups: readonly string[]
  /** The server's own first; at least one. */
  readonly chain: readonly CertificateFacts[]
  /** True if the certificate holds for the host. */
  readonly isNameRight: boolean
  /** Reason why the chain is not trusted, an OpenSSL code; undefined when it is. */
  readonly distrust: string | undefined
  readonly hasOcspStaple: boolean
  /** `max-age` of Strict-Transport-Security, seconds; undefined without one. */
  readonly hstsSeconds: number | undefined
  /** True if plain HTTP redirects to HTTPS; undefined when nothing answers there. */
  readonly redirectsToHttps: boolean | undefined
  /** True if every probe was made; otherwise time ran out. */
  readonly isComplete: boolean
}

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
