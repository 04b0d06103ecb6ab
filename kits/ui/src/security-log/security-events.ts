import type { Tone } from '../status-badge.tsx'

/** An event of the security log as the API has it. */
export interface SecurityEventRow {
  readonly id: string
  readonly at: string
  readonly kind: SecurityEventKind
  readonly username: string | null
  readonly address: string | null
  readonly device: string | null
  readonly method: keyof typeof methodNames | null
  readonly reason: SignInFailureReason | null
  readonly target: string | null
  readonly detail: string | null
}

/** Names of the kinds of events, in the order of the filter. */
export const kindNames = {
  sign_in: 'Signed in',
  sign_in_failed: 'Sign-in refused',
  sign_out: 'Signed out',
  session_ended: 'Session ended',
  password_changed: 'Password changed',
  password_removed: 'Password removed',
  passkey_added: 'Passkey added',
  passkey_removed: 'Passkey removed',
  recovery_codes_created: 'Recovery codes made',
  token_created: 'Token created',
  token_revoked: 'Token revoked',
  setup_link_created: 'Set-up link made',
  setup_link_used: 'Set-up link used',
  setup_link_revoked: 'Set-up link revoked',
  dns_secret_created: 'Private DNS address made',
  dns_secret_withdrawn: 'Private DNS address withdrawn',
  node_added: 'Node added',
  node_token_created: 'Join token of a node made',
  node_joined: 'Node joined',
  node_removed: 'Node removed',
  keys_exported: 'Private keys exported',
  certificate_revoked: 'Certificate revoked',
  network_searched: 'Network searched',
  openid_connected: 'Sign-in portal connected',
  openid_disconnected: 'Sign-in portal disconnected',
  user_created: 'User created',
  user_changed: 'User changed',
  user_deleted: 'User deleted',
  rights_changed: 'Rights changed',
} as const

/** Kind of an event. */
export type SecurityEventKind = keyof typeof kindNames

const methodNames = {
  password: 'Password',
  passkey: 'Passkey',
  recovery_code: 'Recovery code',
  openid: 'OpenID Connect',
  set_up_token: 'Set-up token',
  command_line: 'Command line',
} as const

const reasonNames = {
  invalid_credentials: 'Wrong name or password',
  invalid_recovery_code: 'Wrong recovery code',
  invalid_passkey: 'Passkey not accepted',
  invalid_setup_token: 'Wrong set-up token',
  wrong_current_password: 'Wrong current password',
  possible_clone: 'Passkey may be copied',
  disabled_account: 'Account may not sign in',
  rate_limited: 'Too many attempts',
  openid_cancelled: 'Cancelled at the provider',
  openid_expired: 'Provider’s answer came too late',
  openid_invalid: 'Provider’s answer not accepted',
  openid_unavailable: 'Provider not reached',
  openid_disconnected: 'Removed at the portal',
  openid_not_allowed: 'In no allowed group',
  openid_name_taken: 'Name or e-mail address is taken',
  openid_too_many_users: 'Too many users',
} as const

type SignInFailureReason = keyof typeof reasonNames

/** Returns how somebody signed in, or why it was refused; an empty text for other events of the pages. */
export function describeMethod({ method, reason }: Pick<SecurityEventRow, 'method' | 'reason'>): string {
  if (reason !== null) return reasonNames[reason]
  return method === null ? '' : methodNames[method]
}

/** Returns what an event is about, such as `eve (role: admin)`; an empty text when that is the user alone. */
export function describeTarget({ target, detail }: Pick<SecurityEventRow, 'target' | 'detail'>): string {
  if (target === null) return detail ?? ''
  return detail === null ? target : `${target} (${detail})`
}

/** Returns the tone of an event: refusals warn, rights stand out. */
export function toneOf({ kind }: Pick<SecurityEventRow, 'kind'>): Tone {
  if (kind === 'sign_in_failed') return 'warn'
  if (kind === 'sign_in') return 'good'
  return kind === 'rights_changed' ? 'accent' : 'quiet'
}
