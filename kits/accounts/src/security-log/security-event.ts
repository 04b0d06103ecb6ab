/** Kinds of events that the security log holds. */
export const securityEventKinds = [
  'sign_in',
  'sign_in_failed',
  'sign_out',
  'session_ended',
  'password_changed',
  'password_removed',
  'passkey_added',
  'passkey_removed',
  'recovery_codes_created',
  'token_created',
  'token_revoked',
  'setup_link_created',
  'setup_link_used',
  'setup_link_revoked',
  'dns_secret_created',
  'dns_secret_withdrawn',
  'node_added',
  'node_token_created',
  'node_joined',
  'node_removed',
  'keys_exported',
  'certificate_revoked',
  'network_searched',
  'openid_connected',
  'openid_disconnected',
  'user_created',
  'user_changed',
  'user_deleted',
  'rights_changed',
] as const
/** Kind of an event of the security log. */
export type SecurityEventKind = (typeof securityEventKinds)[number]

/** Methods of signing in, and of proving who one is. */
export const signInMethods = ['password', 'passkey', 'recovery_code', 'openid', 'set_up_token', 'command_line'] as const
/** Method of signing in, or of proving who one is. */
export type SignInMethod = (typeof signInMethods)[number]

/** Reasons why a sign-in failed. */
export const signInFailures = [
  'invalid_credentials',
  'invalid_recovery_code',
  'invalid_passkey',
  'invalid_setup_token',
  'wrong_current_password',
  'possible_clone',
  'disabled_account',
  'rate_limited',
  'openid_cancelled',
  'openid_expired',
  'openid_invalid',
  'openid_unavailable',
  'openid_disconnected',
  'openid_not_allowed',
  'openid_name_taken',
  'openid_too_many_users',
] as const
/** Reason why a sign-in failed. */
export type SignInFailure = (typeof signInFailures)[number]

/** The user who did something. */
export interface Actor {
  readonly userId: string
  readonly username: string
}

/** The browser or program of a request. */
export interface RequestOrigin {
  readonly address: string
  readonly userAgent: string
}

/** An event to record. */
export interface NewSecurityEvent {
  readonly kind: SecurityEventKind
  /** Undefined for nobody known, such as the command line. */
  readonly by?: Actor | undefined
  /** Undefined for the command line. */
  readonly from?: RequestOrigin | undefined
  readonly method?: SignInMethod | undefined
  /** Name of the token, passkey, user or right that the event is about. */
  readonly target?: string
  /** Values that changed, such as `role: admin`. */
  readonly detail?: string
}

/** A failed sign-in to record. */
export interface NewSignInFailure {
  readonly from: RequestOrigin
  /** The name as it was typed. */
  readonly username?: string | undefined
  readonly reason: SignInFailure
  /** HTTP status of the answer. */
  readonly status: number
  /** The name was not typed: an OpenID Connect provider proved it. It is stored, and is nobody's here. */
  readonly isProved?: boolean
}

/** Members of a user that an administrator changed. */
interface UserChange {
  readonly username?: string | undefined
  readonly email?: string | null | undefined
  readonly role?: string | undefined
  readonly is_active?: boolean | undefined
  readonly password?: string | undefined
  readonly password_change_required?: boolean | undefined
}

/** Describes a change of a user as an event: of rights, of the password alone, or of anything else. */
export function eventOfUserChange(change: UserChange): Pick<NewSecurityEvent, 'kind' | 'detail'> {
  const { role, is_active: isActive, password, ...rest } = change
  const names = Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const details = [
    ...(role === undefined ? [] : [`role: ${role}`]),
    ...(isActive === undefined ? [] : [isActive ? 'may sign in' : 'may not sign in']),
    ...(password === undefined ? [] : ['new password']),
    ...(names.length === 0 ? [] : [`changed: ${names.join(', ')}`]),
  ]
  const isOfRights = role !== undefined || isActive !== undefined
  const isOfPassword = password !== undefined && names.length === 0
  return {
    kind: isOfRights ? 'rights_changed' : isOfPassword ? 'password_changed' : 'user_changed',
    detail: details.join(', '),
  }
}
