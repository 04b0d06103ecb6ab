import type { AttemptTables, SessionRow, UserRow as AccountUserRow } from '@hearth/accounts'
import type { ApplyTables } from '../apply/tables.ts'
import { certificateTableNames, type CertificateTables } from '../certificates/tables.ts'
import type { NodeTables } from '../nodes/tables.ts'
import type { SiteTables } from '../sites/tables.ts'
import { trafficTableNames, type TrafficTables } from '../traffic/tables.ts'

/** Rows as they are stored. Moments are milliseconds since the epoch, switches 0 or 1, lists JSON text. */
export interface Tables extends AttemptTables, SiteTables, NodeTables, ApplyTables, CertificateTables, TrafficTables {
  facts: FactRow
  settings: SettingRow
  users: UserRow
  sessions: SessionRow<'user_id', Proof>
  recovery_codes: RecoveryCodeRow
  passkeys: PasskeyRow
  challenges: ChallengeRow
}

/** Things the service knows about its own database, such as which key belongs to it. */
export interface FactRow {
  name: string
  value: string
}

export interface SettingRow {
  name: string
  /** JSON. */
  value: string
}

export interface UserRow extends AccountUserRow {
  /** What authenticators know the user by: random, tells nothing. */
  user_handle: string
}

/** How a session proved last who its user is. */
export type ProofWay = 'password' | 'passkey' | 'recovery_code'

/** What sessions hold of that proof. */
export interface Proof {
  proved_at: number
  proved_by: ProofWay
}

export interface RecoveryCodeRow {
  user_id: string
  /** SHA-256 of the code. */
  code_hash: string
}

export interface PasskeyRow {
  id: string
  user_id: string
  /** The relying party it was made for; browsers offer it for no other. */
  rp_id: string
  /** Base64url, as authenticators name it. */
  credential_id: string
  /** COSE key, base64url. */
  public_key: string
  counter: number
  device_name: string
  /** JSON list. */
  transports: string
  aaguid: string
  backed_up: number
  created_at: number
  last_used_at: number | null
}

export interface ChallengeRow {
  /** Base64url. */
  challenge: string
  ceremony: 'register' | 'login'
  /** SHA-256 of the cookie of the session, or of the visitor, that asked for it. */
  session_hash: string
  user_id: string | null
  expires_at: number
}

/**
 * Every table that is backed up, those that others refer to first. Sessions, challenges and attempts are not: nobody is to be
 * signed in by a restore, and their rows go when their users do.
 */
export const tableNames = [
  'facts',
  'settings',
  'users',
  'recovery_codes',
  'passkeys',
  'sites',
  'site_domains',
  'site_versions',
  'nodes',
  'site_states',
  'revisions',
  'revision_sites',
  ...certificateTableNames,
  ...trafficTableNames,
] as const
