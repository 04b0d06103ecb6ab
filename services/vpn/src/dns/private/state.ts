import type { CertificateFacts } from './certificate.ts'

/** An address, and why it cannot be listened at; null when it is. */
export interface PlaceState {
  readonly address: string
  readonly port: number
  readonly error: string | null
}

/** State of DNS for devices outside the tunnels. */
export interface PrivateDnsState {
  readonly tls: readonly PlaceState[]
  readonly https: readonly PlaceState[]
  readonly http: readonly PlaceState[]
  /** What is wrong with the files of certificate and key as they are now; null for nothing. */
  readonly problem: string | null
  /** The certificate in use; null for none. */
  readonly certificate: CertificateFacts | null
}
