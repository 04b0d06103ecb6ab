import type { Service } from '../service.ts'
import { PasskeySignInScreen } from './passkey-sign-in-screen.tsx'
import type { RecoveryWay } from './recovery-sign-in.tsx'
import type { SignInMethodsApi } from './sign-in-methods-api.ts'

/** Returns the sign-in screen of a service with these calls: by password, passkey or recovery code. */
export function signInScreenOf(api: SignInMethodsApi, recovery: Omit<RecoveryWay, 'signIn'>) {
  const way: RecoveryWay = { ...recovery, signIn: (values) => api.recover(values) }
  return function SignInPage(props: { service: Service; ended: boolean }) {
    return <PasskeySignInScreen {...props} passkeys={api.passkeySignIn} recovery={way} />
  }
}
