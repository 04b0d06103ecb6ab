import { safeNextUrl } from '@hearth/accounts/next-url'
import { Redirect } from 'wouter'

/** The address of the sign-in page, for somebody who is signed in: leads on to where they wanted to go. */
export function SignedInPage() {
  const next = new URLSearchParams(window.location.search).get('next') ?? undefined
  return <Redirect to={safeNextUrl(next)} replace />
}
