import type { RevocationReason } from './client/acme-client.ts'

/** Rows as they are stored. Timestamps are milliseconds since the epoch, objects JSON text. */
export interface AcmeTables {
  dns_providers: DnsProviderRow
  acme_accounts: AcmeAccountRow
  certificate_orders: OrderRow
  challenge_records: ChallengeRecordRow
  certificate_revocations: RevocationRow
  external_accounts: ExternalAccountRow
}

/** A DNS provider through which names are proved. */
export interface DnsProviderRow {
  id: string
  name: string
  kind: string
  /** Settings with their secrets, sealed. */
  settings_sealed: string
  created_at: number
  changed_at: number
}

/** The account at one authority. */
export interface AcmeAccountRow {
  /** Address of the authority's directory. */
  directory: string
  /** PEM, sealed; stored before the authority sees it, so that there is never a second account. */
  key_sealed: string
  /** Null until the authority has answered. */
  url: string | null
  created_at: number
}

/** A certificate that the service orders and renews. */
export interface OrderRow {
  id: string
  name: string
  /** Separated by spaces. */
  domains: string
  provider_id: string
  directory: string
  /** The stored certificate that sites use; null before the first one is issued. */
  certificate_id: number | null
  /** `Progress` as JSON. */
  progress: string
  /** Key of the certificate that is being ordered, PEM, sealed. */
  key_sealed: string | null
  /** Consecutive failures of the step. */
  attempts: number
  /** `Problem` of the step as JSON; null while nothing is wrong. */
  problem: string | null
  /** `FailedOrders` as JSON; null while none failed since the last certificate. */
  failed_orders: string | null
  /** Newest steps in words, as JSON. */
  history: string
  /** Time of the next step; null for none. */
  next_at: number | null
  renew_at: number | null
  not_after: number | null
  created_at: number
  changed_at: number
}

/** A TXT record; stored before it is made, deleted after it is removed. */
export interface ChallengeRecordRow {
  id: string
  order_id: string
  provider_id: string
  zone: string
  name: string
  value: string
  /** Failed removals. */
  attempts: number
  problem: string | null
  /** Time at which it is to be removed; null while the order needs it. */
  next_at: number | null
  created_at: number
}

/** The revocation of a certificate of an order; a later one takes its place. */
export interface RevocationRow {
  order_id: string
  /** Address of the directory of the authority that issued the certificate. */
  directory: string
  /** The certificate without its chain, PEM. */
  certificate: string
  reason: RevocationReason
  /** Consecutive failures. */
  attempts: number
  problem: string | null
  /** Time of the next attempt; null while a new certificate is awaited, and after the revocation. */
  next_at: number | null
  created_at: number
  revoked_at: number | null
}

/** The account of a customer at an authority, to which the account of this service is bound (RFC 8555 section 7.3.4). */
export interface ExternalAccountRow {
  id: string
  /** Address of the authority's directory; no two have the same. */
  directory: string
  key_id: string
  /** HMAC key in base64url, sealed. */
  key_sealed: string
  created_at: number
  changed_at: number
}

/** Every table of this folder, those that others refer to first. */
export const acmeTableNames = [
  'dns_providers',
  'acme_accounts',
  'certificate_orders',
  'challenge_records',
  'certificate_revocations',
  'external_accounts',
] as const satisfies readonly (keyof AcmeTables)[]
