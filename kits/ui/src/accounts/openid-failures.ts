const failures = {
  openid_cancelled: 'The sign-in was cancelled.',
  openid_expired: 'The sign-in took too long, or went on in another tab. Try again.',
  openid_invalid: 'The answer of the sign-in provider was not accepted. Try again; the log of the service says more.',
  openid_unavailable: 'The sign-in provider cannot be reached right now. Sign in another way, or try again later.',
  openid_disconnected:
    'The portal does not know this service any more. Sign in another way; an administrator can connect it again in the settings.',
  openid_not_allowed: 'Your account at the sign-in provider is in no group that may sign in here.',
  openid_name_taken:
    'Somebody here has your user name or e-mail address already. Ask an administrator to rename that user.',
  openid_too_many_users: 'There are as many users as this service takes. Ask an administrator to remove some.',
  disabled_account: 'Your account is disabled. Ask an administrator.',
} as const

/** Returns what a sign-in page says about a failed sign-in through a provider; undefined for a code it does not know. */
export function describeOpenIdFailure(code: string): string | undefined {
  return Object.hasOwn(failures, code) ? failures[code as keyof typeof failures] : undefined
}

/** The address of the page without the code of a failed sign-in, and that code. */
export function splitOpenIdFailure(address: string): { code: string | undefined; address: string } {
  const url = new URL(address)
  const code = url.searchParams.get('sign_in_error') ?? undefined
  url.searchParams.delete('sign_in_error')
  return { code, address: `${url.pathname}${url.search}${url.hash}` }
}
