import type {
  AttemptTables,
  OpenIdTables,
  PasskeyTables,
  RecoveryCodeTables,
  SecurityLogTables,
  SessionRow,
  UserRow as AccountUserRow,
} from '@hearth/accounts'

/** Tables of users, their sessions, and what they sign in with. */
export interface AccountTables
  extends AttemptTables, OpenIdTables, PasskeyTables, RecoveryCodeTables, SecurityLogTables {
  users: UserRow
  sessions: SessionRow<'user_id', Proof>
}

/** A user as stored. */
export interface UserRow extends AccountUserRow {
  /** The user's name towards authenticators: random, reveals nothing. */
  user_handle: string
}

/** The method by which a session last proved its user. */
export type ProofMethod = 'password' | 'passkey' | 'recovery_code' | 'openid'

/** The last proof of a session's user. */
export interface Proof {
  /** Milliseconds since the epoch. */
  proved_at: number
  proved_by: ProofMethod
}
