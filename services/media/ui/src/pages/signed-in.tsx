import { Redirect } from 'wouter'

/** The address of the sign-in page, for somebody who is signed in: leads on to the downloads. */
export function SignedInPage() {
  return <Redirect to="/" replace />
}
