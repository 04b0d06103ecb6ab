import type { CertificateFacts } from '../certificate-facts.ts'

/** Versions of TLS that can be asked for, oldest first. */
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
  /** True if plain HTTP leads to HTTPS; undefined when nothing answers there. */
  readonly redirectsToHttps: boolean | undefined
  /** True if every probe was made; otherwise time ran out and what is missing was not looked at. */
  readonly isComplete: boolean
}
