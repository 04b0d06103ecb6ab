import type { Log } from '@hearth/runtime'

/** Reason why a sign-in failed. */
export type SignInFailure =
  | 'invalid_credentials'
  | 'invalid_recovery_code'
  | 'invalid_passkey'
  | 'invalid_setup_token'
  | 'wrong_current_password'
  | 'possible_clone'
  | 'disabled_account'
  | 'rate_limited'

/** Log of failed sign-ins, in lines that programs such as fail2ban read. */
export interface SecurityLog {
  failed(failure: { client: string; username?: string | undefined; reason: SignInFailure; status: number }): void
}

/**
 * Writes one line per failure: `SECURITY sign-in failed client=ADDRESS reason=REASON status=STATUS username=NAME`. The name stands
 * last and holds nothing but letters, digits and `._@-`, so that nobody can type a line of their own making.
 */
export function createSecurityLog(log: Log): SecurityLog {
  return {
    failed({ client, username = '', reason, status }) {
      const name = username.slice(0, 64).replaceAll(/[^\w.@-]/g, '?')
      log.warn(`SECURITY sign-in failed client=${client} reason=${reason} status=${status} username=${name}`)
    },
  }
}
