import type {
  AttemptTables,
  OpenIdTables,
  PasskeyTables,
  RecoveryCodeTables,
  SecurityLogTables,
  SessionRow,
  SignInMethod,
  UserRow as AccountUserRow,
} from '@hearth/accounts'

/** Tables of users, their sessions, and what they sign in with. */
export interface AccountTables
  extends AttemptTables, OpenIdTables, PasskeyTables, RecoveryCodeTables, SecurityLogTables {
  users: UserRow
  sessions: SessionRow<'user_id', Proof>
  portal_sessions: PortalSessionRow
}

/** A sign-in at the portal, good for protected sites and for nothing of the service itself. */
export interface PortalSessionRow {
  id: string
  /** SHA-256 of the key in the cookie of the portal. */
  key_hash: string
  user_id: string
  /** Milliseconds since the epoch. */
  created_at: number
  /** When the user last proved who they are. */
  proved_at: number
  /** Null for sessions that are older than the column. */
  proved_by: SignInMethod | null
  address: string
  user_agent: string
}

/** A user as stored. */
export interface UserRow extends AccountUserRow {
  /** The user's name towards authenticators: random, reveals nothing. */
  user_handle: string
  /** Protected sites get it with each request; null for none. */
  email: string | null
  /** 1 for a user who signs in to protected sites, and not to this service. */
  sites_only: number
}

/** The method by which a session last proved its user. */
export type ProofMethod = 'password' | 'passkey' | 'recovery_code' | 'openid'

/** The last proof of a session's user. */
export interface Proof {
  /** Milliseconds since the epoch. */
  proved_at: number
  proved_by: ProofMethod
}
